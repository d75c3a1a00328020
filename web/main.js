/**
 * Wires the page: state from the link, theme, engine, panels, badge. If the kernels do not load,
 * the page says why.
 */
import { machine } from './panels/machine.js';
import { fittingGroups, machineState } from './panels/machine-compute.js';
import { hero, heroState } from './panels/hero.js';
import { sweep } from './panels/hero-sweep.js';
import { kernel, kernelState } from './panels/kernel.js';
import { button } from './controls.js';
import { load } from './engine.js';
import { notify, settle } from './notice.js';
import { preparePaper } from './paper.js';
import { byId, html } from './plot/dom.js';
import { Store } from './state.js';
import { report } from './statement.js';

const store = new Store();
const states = { hero: heroState(store), machine: machineState(store), kernel: kernelState(store) };

function readLink() {
  const notices = store.read(location.hash);
  const { H, G } = states.machine;
  const fitting = fittingGroups(H.value, G.value);
  if (fitting !== G.value) {
    if (location.hash)
      notices.push(
        `${G.value} key/value heads do not divide ${H.value} query heads, so G = ${fitting}`,
      );
    G.set(fitting);
  }
  if (notices.length) notify('link', `Not all of the link could be used: ${notices.join('; ')}.`);
  else settle('link');
}

/** Links to sections keep the state in the fragment. */
function followSections() {
  const go = () => store.section && document.getElementById(store.section)?.scrollIntoView();
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault();
      store.section = (link.getAttribute('href') ?? '').slice(1);
      history.pushState(null, '', store.fragment() || location.pathname + location.search);
      go();
      const heading = document.getElementById(store.section)?.querySelector('h2');
      heading?.setAttribute('tabindex', '-1');
      heading?.focus({ preventScroll: true });
    });
  }
  const arrive = () => {
    readLink();
    go();
  };
  addEventListener('hashchange', arrive);
  addEventListener('popstate', arrive);
  return go;
}

/** Light, dark, or the system's choice; remembered. */
function themeSwitch() {
  const radios = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll('input[name="theme"]')
  );
  for (const radio of radios) {
    radio.checked = radio.value === (document.documentElement.dataset.theme ?? 'auto');
    radio.addEventListener('change', () => {
      if (radio.value === 'auto') delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = radio.value;
      try {
        if (radio.value === 'auto') localStorage.removeItem('clearhead-theme');
        else localStorage.setItem('clearhead-theme', radio.value);
      } catch {
        // not remembered, where storage is refused
      }
      document.dispatchEvent(new Event('themechange'));
    });
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    document.dispatchEvent(new Event('themechange')),
  );
}

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
      html('strong', {}, 'The kernels did not run, so there is nothing to show yet. '),
      html('code', {}, `${name}${code ? ` ${code}` : ''}: ${message}`),
    ),
    html(
      'p',
      {},
      'The page needs WebAssembly with 128-bit SIMD, and two files of src/js: theory.wasm, and ' +
        'attn.relaxed.wasm, or attn.simd.wasm where a browser has no relaxed SIMD.',
    ),
    button('try again', () => location.reload()),
  );
  place.hidden = false;
  byId('badge').textContent = 'no kernels';
  document.documentElement.dataset.engine = 'failed';
}

async function start() {
  document.documentElement.dataset.started = '';
  themeSwitch();
  preparePaper();
  readLink();
  const go = followSections();
  try {
    const engine = await load();
    const { variant, threads, why } = engine.info;
    const simd = variant === 'relaxed' ? 'relaxed SIMD' : 'SIMD';
    const ran = `${simd} kernels, ${threads === 1 ? 'one thread' : `${threads} threads`}`;
    hero(byId('hero'), engine, states.hero);
    machine(byId('machine-panel'), engine, states.machine);
    kernel(byId('kernel-panel'), engine, states.kernel);
    byId('badge').textContent = `computed here, just now: ${ran}`;
    byId('badge').dataset.variant = variant;
    if (why) byId('badge').title = why;
    report.environment = () => `kernels: ${ran}${why ? ` (${why})` : ''}`;
    document.documentElement.dataset.engine = 'ready';
    if (states.hero.T.isDefault) sweep(states.hero.T);
  } catch (error) {
    failed(error);
  }
  store.follow();
  go();
}

start();
