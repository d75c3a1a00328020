import { unsupported } from './values.js';

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/**
 * A date by the directives of strftime, in English.
 * @param {string} format
 * @param {Date} date
 */
export function formattedDate(format, date) {
  const hour = date.getHours();
  const month = MONTHS[date.getMonth()];
  const day = DAYS[date.getDay()];
  const begin = Date.UTC(date.getFullYear(), 0, 1);
  const today = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  /** @type {Record<string, string | [number, number]>} texts, or numbers and their digits */
  const parts = {
    Y: [date.getFullYear(), 1],
    y: [date.getFullYear() % 100, 2],
    m: [date.getMonth() + 1, 2],
    d: [date.getDate(), 2],
    j: [1 + Math.round((today - begin) / 86400000), 3],
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    H: [hour, 2],
    I: [hour % 12 || 12, 2],
    p: hour < 12 ? 'AM' : 'PM',
    M: [date.getMinutes(), 2],
    S: [date.getSeconds(), 2],
    '%': '%',
  };
  return format.replace(/%(-?)([^]?)/g, (all, plain, name) => {
    if (!Object.hasOwn(parts, name)) return unsupported(`the part "${all}" of a date`);
    const part = parts[name];
    if (typeof part === 'string') return part;
    return String(part[0]).padStart(plain ? 1 : part[1], '0');
  });
}
