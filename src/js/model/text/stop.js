import { describe, refuse } from '../../errors.js';

/**
 * Ends a streamed text at a stop string. A possible beginning of one is kept back, so that no part
 * of it is ever shown.
 * @param {unknown} stops
 * @param {boolean} [isOne] whether the caller gave one string and no list
 * @returns {import('../types.d.ts').StopFilter}
 */
export function createStop(stops = [], isOne = false) {
  if (!Array.isArray(stops) || stops.length > 64)
    refuse('ARG', 'stop', describe(stops), 'an array of at most 64 strings');
  const strings = /** @type {string[]} */ ([...stops]);
  for (const [at, stop] of strings.entries())
    if (typeof stop !== 'string' || !stop || stop.length > 256)
      refuse(
        'ARG',
        isOne ? 'stop' : `stop[${at}]`,
        describe(stop),
        'a string of 1 to 256 characters',
      );
  let pending = '';
  let ended = false;
  return Object.freeze({
    push(/** @type {string} */ text) {
      if (ended) return { text: '', stopped: null };
      pending += text;
      // the stop string that is complete first ends the text; if several are, the longest one
      let end = Infinity;
      let found = '';
      for (const stop of strings) {
        const place = pending.indexOf(stop);
        const to = place + stop.length;
        if (place >= 0 && (to < end || (to === end && stop.length > found.length)))
          [end, found] = [to, stop];
      }
      if (found) {
        ended = true;
        return { text: pending.slice(0, end - found.length), stopped: found };
      }
      const open = beginning(pending, strings);
      const shown = pending.slice(0, open);
      pending = pending.slice(open);
      return { text: shown, stopped: null };
    },
    end() {
      const rest = ended ? '' : pending;
      ended = true;
      pending = '';
      return rest;
    },
  });
}

/**
 * Where the longest end of `text` begins that is the beginning, and not all, of a stop string.
 * @param {string} text
 * @param {string[]} stops
 */
function beginning(text, stops) {
  const longest = Math.max(0, ...stops.map((stop) => stop.length - 1));
  for (let at = Math.max(0, text.length - longest); at < text.length; at++)
    if (stops.some((stop) => stop.length > text.length - at && stop.startsWith(text.slice(at))))
      return at;
  return text.length;
}
