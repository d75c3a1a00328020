import { describe, refuse } from '../../errors.js';

/**
 * The settings of a file, which are obeyed, harmless or refused. None that changes the numbers is
 * passed over: whatever a configuration does not ask for is looked up here.
 * @typedef {import('./values.js').Get} Get
 *
 * @typedef {object} Rules for settings that the configuration did not ask for
 * @property {Record<string, readonly unknown[]>} neutral settings of parts that no architecture
 *   here has, with the values that leave the numbers alone
 * @property {RegExp} harmless names of settings that change no number, whatever their value
 * @property {RegExp} telling names that sound as if they do. Other unknown ones are notes
 */

/** An expression for any of some words. @param {string[]} lines words with spaces between */
export const anyOf = (...lines) => new RegExp(lines.join(' ').replaceAll(' ', '|'));

/**
 * @param {object} file
 * @param {(key: string) => unknown} file.value of a setting, undefined where there is none
 * @param {() => Iterable<string>} file.keys of all settings
 * @param {string} file.prefix of the names in errors
 * @param {Rules} rules
 * @returns {{ get: Get, checkOthers: () => void }}
 */
export function settingsOf({ value, keys, prefix }, { neutral, harmless, telling }) {
  const asked = new Set();
  /** @type {Get} */
  const get = (key, otherwise) => {
    asked.add(key);
    return value(key) ?? otherwise;
  };
  /** @param {string} key */
  const check = (key) => {
    const given = value(key) ?? undefined;
    if (given === undefined || asked.has(key)) return;
    const allowed = Object.hasOwn(neutral, key) ? neutral[key] : undefined;
    if (allowed?.includes(given) || (!allowed && harmless.test(key))) return;
    if (allowed || telling.test(key))
      refuse(
        'FORMAT',
        prefix + key,
        describe(given),
        allowed ? `${allowed.join(' or ')}: others are not supported` : 'no such setting',
      );
  };
  return {
    get,
    checkOthers() {
      for (const key of keys()) check(key);
    },
  };
}

/**
 * Refuses a window where the architecture has none, unless it hides nothing.
 * @param {string} name
 * @param {unknown} size 0 for none
 * @param {unknown} context
 */
export function checkNoWindow(name, size, context) {
  const hides = !(typeof size === 'number' && (size === 0 || size >= Number(context)));
  if (hides)
    refuse('FORMAT', name, describe(size), '0, or the whole context, for this architecture');
}
