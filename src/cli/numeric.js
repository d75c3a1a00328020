import { ClearheadError } from '../js/index.js';

/** The number that a flag is given. @param {string} name @param {string} text */
export function numeric(name, text) {
  const x = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)
    ? Number(text)
    : /^inf(inity)?$/i.test(text)
      ? Infinity
      : NaN;
  if (Number.isNaN(x)) throw new ClearheadError('ARG', `--${name} is "${text}"; expected a number`);
  return x;
}
