/**
 * The panels of the page, in its order. A panel is a folder: `state.js` makes its signals before
 * the link is read, and `index.js` builds it when it comes near. web/README.md tells the rest.
 */
import { state as born } from '../panels/born/state.js';
import { state as coldHot } from '../panels/cold-hot/state.js';
import { state as commitment } from '../panels/commitment/state.js';
import { state as compromise } from '../panels/compromise/state.js';
import { state as distance } from '../panels/distance/state.js';
import { state as lab } from '../panels/lab/state.js';
import { state as look } from '../panels/look/state.js';
import { state as manyHeads } from '../panels/many-heads/state.js';
import { state as oneLook } from '../panels/one-look/state.js';
import { state as proofs } from '../panels/proofs/state.js';
import { state as push } from '../panels/push/state.js';
import { state as sharing } from '../panels/sharing/state.js';
import { state as speed } from '../panels/speed/state.js';
import { state as trust } from '../panels/trust/state.js';
import { state as use } from '../panels/use/state.js';

/** @typedef {import('./state.js').Store} Store */
/** @typedef {import('./state.js').Signal<any>} Signal */
/** @typedef {Record<string, Signal>} Signals */
/** @typedef {() => SVGElement | HTMLCanvasElement} Picture */
/** @typedef {import('./row.js').Keys} Keys */

/**
 * @typedef {object} Context
 * @property {any} state the signals that state.js made
 * @property {import('./row.js').RowBus} row
 * @property {() => Promise<import('./engine.js').Engine>} engine for a few numbers at once; longer
 *   computations belong to the lab
 * @property {import('./lab.js').Lab} lab kernels and oracles in a worker, latest wins
 * @property {import('./model.js').SharedModel} model the one model, in its own worker
 * @property {Keys} [keys] of a row that the panel can show
 * @property {() => { title: string, text: string } | undefined} code of the panel touched last
 */

/**
 * @typedef {object} Panel
 * @property {() => void} [reset] for anything that is not a signal
 * @property {() => unknown} [state] the numbers on show, for a JSON file; default: the signals
 * @property {() => Promise<void>} [settled] until the numbers are those of the settings
 * @property {() => void} [sign] puts a checksum of the numbers on show into the settings
 * @property {() => string} [code] JavaScript that computes the panel's numbers with the library
 * @property {{ csv?: () => string, json?: () => unknown, svg?: () => SVGElement, png?: Picture }}
 *   [exports]
 * @property {readonly import('./row.js').Followed[]} [followed] settings that the row gives
 * @property {import('./signal.js').Signal<string>} [unfit] why it does not show the row; ''
 *   where it does
 * @property {Promise<void>} [alive] the panels outside of the window wait for it
 * @property {() => void} [dispose]
 */

/** @typedef {(section: HTMLElement, context: Context) => Panel | Promise<Panel>} Build */

/**
 * @typedef {object} Entry
 * @property {string} id of its section, and the name of its folder
 * @property {(store: Store) => Signals} [state]
 * @property {() => Promise<{ build: Build }>} load
 * @property {Keys} [follows] it shows the row that a reader sent, where it has enough keys
 */

/** @type {readonly Entry[]} */
export const PANELS = [
  { id: 'look', state: look, load: () => import('../panels/look/index.js') },
  {
    id: 'one-look',
    state: oneLook,
    load: () => import('../panels/one-look/index.js'),
    follows: { minKeys: 2, maxKeys: 6 },
  },
  {
    id: 'cold-hot',
    state: coldHot,
    load: () => import('../panels/cold-hot/index.js'),
    follows: { minKeys: 2, maxKeys: Infinity },
  },
  { id: 'many-heads', state: manyHeads, load: () => import('../panels/many-heads/index.js') },
  {
    id: 'trust',
    state: trust,
    load: () => import('../panels/trust/index.js'),
    follows: { minKeys: 2, maxKeys: 6 },
  },
  {
    id: 'commitment',
    state: commitment,
    load: () => import('../panels/commitment/index.js'),
    follows: { minKeys: 2, maxKeys: 6 },
  },
  {
    id: 'compromise',
    state: compromise,
    load: () => import('../panels/compromise/index.js'),
    follows: { minKeys: 3, maxKeys: 6 },
  },
  { id: 'distance', state: distance, load: () => import('../panels/distance/index.js') },
  {
    id: 'push',
    state: push,
    load: () => import('../panels/push/index.js'),
    follows: { minKeys: 2, maxKeys: 6 },
  },
  {
    id: 'sharing',
    state: sharing,
    load: () => import('../panels/sharing/index.js'),
    follows: { minKeys: 2, maxKeys: Infinity },
  },
  { id: 'born', state: born, load: () => import('../panels/born/index.js') },
  { id: 'lab', state: lab, load: () => import('../panels/lab/index.js') },
  { id: 'speed', state: speed, load: () => import('../panels/speed/index.js') },
  { id: 'proofs', state: proofs, load: () => import('../panels/proofs/index.js') },
  { id: 'use', state: use, load: () => import('../panels/use/index.js') },
];
