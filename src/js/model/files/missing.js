import { ClearheadError } from '../../errors.js';

/**
 * When a part of ours cannot be imported because the package it stands on is not there, or its file
 * does not come.
 * @param {string} name
 * @returns {(cause: unknown) => never}
 */
export const missing = (name) => (cause) => {
  throw new ClearheadError(
    'ENV',
    `${name} cannot be imported; expected what npm install puts beside clearhead (in a clone: npm install), without a bundler also in the import map, which workers do not have`,
    { cause },
  );
};

/**
 * When the file of a part that only some models need does not come.
 * @param {string} file
 * @returns {(cause: any) => never}
 */
export const lost = (file) => (cause) => {
  throw new ClearheadError('NET', `${file} did not load: ${cause.message}`, { cause });
};
