/** The bell in words. */
import { short, whole } from '../../plot/format.js';
import { D } from './compute.js';

/** @typedef {import('./bell.js').Data} Data */

/** @param {Data} data */
function claimOf({ points, norms, setting }) {
  const restored = setting.restore ? ' The factor of the key’s length is divided out.' : '';
  const lengths = `${short(Math.min(...norms))} to ${short(Math.max(...norms))}`;
  return setting.unitKeys || setting.restore
    ? `${whole(points.length)} pairs, one curve.${restored}`
    : 'Keys of unequal length leave the curve: a longer key gets more weight than its distance ' +
        `earns. Colour: the length of the key, from ${lengths}.`;
}

/** @param {Data} data */
export const labelOf = (data) =>
  `Weight times a factor of its query against distance, ${whole(data.points.length)} pairs, ` +
  `with the bell curve. ${claimOf(data)}`;

/** @param {Data} data @param {number} outside dots that are not shown @param {boolean} steep */
export function captionOf(data, outside, steep) {
  const { sigma2, setting } = data;
  // in many dimensions random directions hardly agree
  const near =
    setting.unitKeys && setting.unitQueries
      ? ` The directions are random. In ${D} dimensions they are nearly at right angles, so ` +
        'all distances are near √2.'
      : '';
  const factor =
    'All weights of one query are multiplied by one factor, which puts the queries on one scale.';
  const where =
    `At T = ${short(setting.T)} the bell has the width ${short(Math.sqrt(sigma2))}, the root ` +
    `of ${short(Math.sqrt(D))} times T.`;
  const lost = outside ? ` ${missing(outside, steep)}` : '';
  return `${claimOf(data)} ${factor} ${where}${near}${lost}`;
}

/** @param {number} count of dots @param {boolean} steep */
function missing(count, steep) {
  const plural = count !== 1;
  if (!steep) return `${count} ${plural ? 'dots lie' : 'dot lies'} outside the frame.`;
  return (
    `${count} ${plural ? 'weights are' : 'weight is'} too small for the number format ` +
    `and ${plural ? 'have' : 'has'} no dot.`
  );
}
