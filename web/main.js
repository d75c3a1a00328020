/** Wires the page: preferences, the link, the workers, and the panels as they come near. */
import { Builder } from './page/build.js';
import { counter } from './page/chrome.js';
import { button } from './page/controls.js';
import { load } from './page/engine.js';
import { Lab } from './page/lab.js';
import { followLinks } from './page/links.js';
import { SharedModel } from './page/model.js';
import { addNotice } from './page/notice.js';
import { PANELS } from './page/panels.js';
import { preparePaper } from './page/paper.js';
import { preferences } from './page/preferences.js';
import { RowBus } from './page/row.js';
import { Store } from './page/state.js';
import { report } from './page/statement.js';
import { tour } from './page/tour.js';
import { byId, html } from './plot/dom.js';

/** The panel at the top, where the model writes. */
const FIRST = 'look';

/** @param {unknown} error */
function failed(error) {
  const {
    name = 'Error',
    code = '',
    message = String(error),
  } = /** @type {{ name?: string, code?: string, message?: string }} */ (error ?? {});
  const place = byId('failure');
  place.replaceChildren(
    html(
      'p',
      {},
      html('strong', {}, 'The wasm code did not run, so the pictures stay as they are. '),
      html('code', {}, `${name}${code ? ` ${code}` : ''}: ${message}`),
    ),
    html('p', {}, 'The page needs WebAssembly with 128-bit SIMD, and its .wasm files.'),
    button('try again', () => location.reload()),
  );
  place.hidden = false;
  byId('badge').textContent = 'no wasm code';
  document.documentElement.dataset.engine = 'failed';
}

/** @param {Awaited<ReturnType<typeof load>>['info']} info */
function introduce({ threads, why }) {
  const ran = `wasm code with SIMD, ${threads === 1 ? 'one thread' : `${threads} threads`}`;
  const badge = byId('badge');
  badge.textContent = `computed here, just now: ${ran}`;
  if (why) badge.title = why;
  report.environment = () => `${ran}${why ? ` (${why})` : ''}`;
  byId('failure').hidden = true;
  document.documentElement.dataset.engine = 'ready';
}

/** All panels, or the one that another page embeds. */
function shown() {
  const { dataset } = document.documentElement;
  if (!dataset.embed) return PANELS;
  const single = PANELS.filter(({ id }) => id === dataset.embed);
  if (single.length) byId(single[0].id).classList.add('embedded');
  else {
    addNotice(
      'link',
      `There is no panel “${dataset.embed.slice(0, 40)}”, so this is the whole page.`,
    );
    delete dataset.embed;
  }
  return single.length ? single : PANELS;
}

function start() {
  document.documentElement.dataset.started = '';
  preferences();
  preparePaper();
  counter(byId('counter'));
  const store = new Store();
  tour(store);
  const states = Object.fromEntries(
    PANELS.map(({ id, state = () => ({}) }) => [id, store.of(id, state)]),
  );
  const model = new SharedModel();
  model.mark(store);
  const go = followLinks(store);
  const entries = shown();
  // its file takes longest to arrive, so it is asked for first
  if (entries.some(({ id }) => id === FIRST) && ['', FIRST].includes(store.section))
    model.load().catch(() => {});
  const engine = load();
  engine.then(({ info }) => introduce(info), failed);
  const shared = { row: new RowBus(), engine: () => engine, lab: new Lab(), model };
  new Builder(store, shared).watch(entries, states);
  go();
}

start();
