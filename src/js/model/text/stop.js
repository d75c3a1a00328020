import { describe, refuse } from '../../errors.js';

/**
 * Ends a streamed text at a stop string. What may be the beginning of one is held back, so that
 * none of it is ever shown.
 * @param {any} stops
 * @returns {import('../types.d.ts').StopFilter}
 */
export function createStop(stops = []) {
  if (!Array.isArray(stops) || stops.length > 64)
    refuse('ARG', 'stop', describe(stops), 'an array of at most 64 strings');
  const strings = /** @type {string[]} */ ([...stops]);
  for (const stop of strings)
    if (typeof stop !== 'string' || !stop || stop.length > 256)
      refuse('ARG', 'stop', describe(stop), 'strings of 1 to 256 characters');
  let held = '';
  let ended = false;
  return Object.freeze({
    push(/** @type {string} */ text) {
      if (ended) return { text: '', stopped: null };
      held += text;
      // the one that is complete first ends the text, of those that end together the longest:
      // however the text was cut
      let end = Infinity;
      let found = '';
      for (const stop of strings) {
        const place = held.indexOf(stop);
        const to = place + stop.length;
        if (place >= 0 && (to < end || (to === end && stop.length > found.length)))
          [end, found] = [to, stop];
      }
      if (found) {
        ended = true;
        return { text: held.slice(0, end - found.length), stopped: found };
      }
      const open = beginning(held, strings);
      const shown = held.slice(0, open);
      held = held.slice(open);
      return { text: shown, stopped: null };
    },
    end() {
      const rest = ended ? '' : held;
      ended = true;
      held = '';
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
