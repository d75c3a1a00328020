import { ClearheadError } from '../../errors.js';

/**
 * For the import of a module whose optional package is not installed.
 * @param {string} name
 * @returns {(cause: unknown) => never}
 */
export const missing = (name) => (cause) => {
  throw new ClearheadError(
    'ENV',
    `${name} cannot be imported; expected the package as npm install puts it beside clearhead ` +
      '(in a clone: npm install). Without a bundler it must also be in the import map, ' +
      'which workers do not have. Service workers and worklets need clearhead/inline/model',
    { cause },
  );
};
