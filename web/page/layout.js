/** The pieces that panels are laid out of. */
import { button, numberField } from './controls.js';
import { notify } from './notice.js';
import { html } from '../plot/dom.js';

/** @typedef {import('../plot/dom.js').Child} Child */
/** @typedef {import('../plot/dom.js').Attributes} Attributes */
/** @typedef {string | readonly [string, Attributes]} Column its name; a column may have none */
/** @typedef {import('./statement.js').Statement} Statement */
/** @typedef {Readonly<Record<string, Statement>> | readonly Statement[]} Statements */
/** @typedef {Pick<Statement, 'nothing'>} Told a statement, or anything that can say why not */

/** @param {string} name of its class @param {...Child} children */
export const block = (name, ...children) => html('div', { class: name }, ...children);

/** @param {string} name of its class @param {...Child} children */
export const paragraph = (name, ...children) => html('p', { class: name }, ...children);

/** Controls side by side. @param {...Child} children */
export const controlsRow = (...children) => block('controls', ...children);

/** Verdicts, one below the other. @param {Statements} statements */
export const verdicts = (statements) =>
  block('statements', ...Object.values(statements).map(({ element }) => element));

/** @param {Statements} statements whose answers are on their way */
export function wait(statements) {
  for (const statement of Object.values(statements)) statement.wait();
}

/**
 * New numbers for a figure that shows others. Where they do not come, its statements check nothing,
 * and the reader is told that the figure has not followed.
 * @param {Readonly<Record<string, Told>> | readonly Told[]} statements that need these numbers
 * @param {Promise<unknown>} work
 */
export async function orGiveUp(statements, work) {
  try {
    await work;
  } catch (error) {
    reportError(error);
    const { message } = /** @type {Error} */ (error);
    for (const each of Object.values(statements)) each.nothing(`it did not end: ${message}`);
    notify('numbers', `A figure shows its numbers of before. New ones did not come: ${message}.`);
  }
}

/** A figure, and the words beside it. @param {Element} figure @param {...Child} words */
export const besideWords = (figure, ...words) =>
  block('figure-and-words', figure, html('div', {}, ...words));

/** A wide column, and one beside it. @param {Child[]} wide @param {Child[]} side */
export const columns = (wide, side) =>
  block('look-below', block('look-left', ...wide), block('look-side', ...side));

/** A line that tells what is going on. @param {string} name of its class */
export const status = (name) => html('p', { class: name, role: 'status' });

/** A table that may be wider than its place. @param {string} label @param {Element} content */
export const scrolling = (label, content) =>
  html('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': label }, content);

/** The row of a table that names its columns. @param {readonly Column[]} columns */
const columnNames = (columns) =>
  html(
    'thead',
    {},
    html(
      'tr',
      {},
      ...columns.map((column) => {
        const [name, attributes] = typeof column === 'string' ? [column, {}] : column;
        return name ? html('th', { scope: 'col', ...attributes }, name) : html('td', {});
      }),
    ),
  );

/**
 * @param {{ name?: string, caption: string, columns: readonly Column[] }} options name: its class
 * @param {...Element} rows
 */
export function numbersTable({ name, caption, columns }, ...rows) {
  const body = html('tbody', {}, ...rows);
  const element = html(
    'table',
    { class: name },
    html('caption', {}, caption),
    columnNames(columns),
    body,
  );
  return { element, body };
}

/** A row with its name. @param {Child} name @param {...Element} cells */
export const numbersRow = (name, ...cells) =>
  html('tr', {}, html('th', { scope: 'row' }, name), ...cells);

/**
 * The seed of random numbers, and a button for the next one.
 * @param {import('./state.js').Signal<number>} seed
 */
export const seedControls = (seed) => [
  numberField(seed, { label: 'seed', min: 0, max: 4294967295 }),
  button('another seed', () => seed.set((seed.value + 1) % 4294967296)),
];

/**
 * Calls back when an element comes into the window and when it leaves.
 * @param {Element} element @param {(visible: boolean) => void} tell
 */
export function onSight(element, tell) {
  const observer = new IntersectionObserver((seen) => tell(seen[seen.length - 1].isIntersecting));
  observer.observe(element);
  return observer;
}
