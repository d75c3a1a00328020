/** The files that a reader can save: numbers as CSV or JSON, pictures as SVG or PNG. */
import { html, svg } from '../plot/dom.js';
import { drawn } from './frames.js';
import { notify, settle } from './notice.js';

/** @typedef {import('./panels.js').Panel} Panel */
/** @typedef {keyof typeof FILES} Kind */

/** The kinds of files, and how each is made of a panel. */
export const FILES = {
  csv: (/** @type {Panel} */ { exports }) => text(exports?.csv?.() ?? '', 'text/csv'),
  json: (/** @type {Panel} */ { exports }) =>
    text(JSON.stringify(exports?.json?.(), plain, 2), 'application/json'),
  svg: (/** @type {Panel} */ { exports }) =>
    text(exports?.svg ? vector(exports.svg()) : '', 'image/svg+xml'),
  png: (/** @type {Panel} */ { exports }) => raster(exports?.png?.()),
};

/** @param {string} body @param {string} type */
const text = (body, type) => new Blob([body], { type });

/** JSON has no typed arrays, NaN or Infinity. @param {string} _key @param {unknown} value */
function plain(_key, value) {
  if (ArrayBuffer.isView(value)) return Array.from(/** @type {Float64Array} */ (value));
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/**
 * A table as text: a line for its names, and one for each row.
 * @param {readonly string[]} names @param {Iterable<readonly (string | number)[]>} rows
 */
export function table(names, rows) {
  const lines = [names.join()];
  for (const row of rows) lines.push(row.map(quoted).join());
  return `${lines.join('\n')}\n`;
}

/** @param {string | number} cell */
const quoted = (cell) => {
  const given = String(cell);
  return /[",\n\r]/.test(given) ? `"${given.replaceAll('"', '""')}"` : given;
};

/** The styles of a picture, each of which is an attribute of SVG as well. */
const STYLED = [
  'display',
  'visibility',
  'opacity',
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'paint-order',
  'font-family',
  'font-size',
  'font-style',
  'font-weight',
  'letter-spacing',
  'text-anchor',
];

/** The colour behind all pictures. */
const paper = () => getComputedStyle(document.documentElement).backgroundColor;

/**
 * A picture with its colours and fonts in it, for other programs.
 * @param {SVGElement} picture
 */
export function vector(picture) {
  const copy = /** @type {SVGElement} */ (picture.cloneNode(true));
  const originals = [picture, ...picture.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    for (const name of STYLED) element.setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = picture.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.prepend(svg('rect', { width: '100%', height: '100%', fill: paper() }));
  return new XMLSerializer().serializeToString(copy);
}

/**
 * At twice its size, on the paper of the page.
 * @param {SVGElement | HTMLCanvasElement | undefined} picture
 * @returns {Promise<Blob | null>}
 */
async function raster(picture) {
  if (!picture) return null;
  const { width, height } = picture.getBoundingClientRect();
  const canvas = html('canvas', { width: 2 * width, height: 2 * height });
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.fillStyle = paper();
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingEnabled = false;
  if (picture instanceof HTMLCanvasElement)
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  else {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(vector(picture))}`;
    await image.decode();
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  return new Promise((done) => canvas.toBlob(done));
}

/** @param {string} id @param {Kind} kind @param {Panel} panel */
export async function save(id, kind, panel) {
  const name = `clearhead-${id}.${kind}`;
  try {
    await drawn(); // and the new numbers are asked for
    await panel.settled?.();
    await drawn();
    const blob = await FILES[kind](panel);
    if (!blob) throw new Error('there is no picture yet');
    const href = URL.createObjectURL(blob);
    html('a', { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
    settle('file');
  } catch (error) {
    notify('file', `${name} was not made: ${/** @type {Error} */ (error).message}.`);
  }
}
