/** Builds each panel when it comes near the window, and frames it. */
import { button } from './controls.js';
import { tick, tools } from './chrome.js';
import { paragraph } from './layout.js';
import { breadcrumb } from './row.js';
import { byId, html } from '../plot/dom.js';

/** @typedef {Omit<import('./panels.js').Context, 'state' | 'code'>} Shared */
/** @typedef {import('./panels.js').Entry} Entry */
/** @typedef {import('./panels.js').Panel} Panel */

/** After so long, a reader is told that something is still on its way. */
const PATIENCE = 10000;

export class Builder {
  /** @param {import('./state.js').Store} store @param {Shared} shared */
  constructor(store, shared) {
    this.store = store;
    this.shared = shared;
    /** @type {Map<string, Panel>} */
    this.panels = new Map();
    /** @type {Map<string, Promise<void>>} */
    this.started = new Map();
  }

  /**
   * @param {readonly Entry[]} entries
   * @param {Record<string, any>} states by id
   */
  watch(entries, states) {
    this.entries = new Map(entries.map((entry) => [entry.id, entry]));
    this.states = states;
    for (const { id } of entries) byId(id).dataset.panel = 'waiting';
    // the panels in the window are alive before others begin
    void this.near('0%').then(() => this.near('100%'));
    // a panel that was never near is on the paper, too
    addEventListener('beforeprint', () => void this.buildAll());
  }

  /**
   * Builds panels when they come near the window. Resolves when those near it now are built.
   * @param {string} margin of the window
   */
  near(margin) {
    return new Promise((resolve) => {
      const observer = new IntersectionObserver(
        (seen) => {
          const ids = seen.filter((each) => each.isIntersecting).map(({ target }) => target.id);
          resolve(Promise.all(ids.map((id) => this.alive(id))));
        },
        { rootMargin: `${margin} 0px` },
      );
      for (const id of this.entries?.keys() ?? []) observer.observe(byId(id));
    });
  }

  /** @param {string} id */
  async alive(id) {
    await this.build(id);
    await this.panels.get(id)?.alive;
  }

  buildAll() {
    return Promise.all([...(this.entries?.keys() ?? [])].map((id) => this.build(id)));
  }

  /** @param {string} id */
  build(id) {
    const entry = this.entries?.get(id);
    if (!entry) return Promise.resolve();
    let started = this.started.get(id);
    if (!started) {
      started = this.start(entry);
      this.started.set(id, started);
    }
    return started;
  }

  /** @param {Entry} entry */
  async start({ id, load, follows }) {
    const section = byId(id);
    const root = /** @type {HTMLElement} */ (section.querySelector('.panel'));
    const late = setTimeout(
      () => root.append(paragraph('late', 'This panel is slow to arrive.')),
      PATIENCE,
    );
    try {
      const { build } = await load();
      const code = () => this.code(id);
      const panel = await build(root, {
        ...this.shared,
        state: this.states?.[id],
        keys: follows,
        code,
      });
      this.panels.set(id, panel);
      const words = section.querySelector('.words');
      if (follows) words?.append(breadcrumb(this.shared.row, follows, panel.followed, panel.unfit));
      words?.append(tick(section));
      root.after(this.frame(id, panel));
      root.querySelector('.late')?.remove();
      section.dataset.panel = 'ready';
    } catch (error) {
      section.dataset.panel = 'failed';
      this.started.delete(id);
      root.replaceChildren(this.refusal(id, /** @type {Error & { code?: string }} */ (error)));
    } finally {
      clearTimeout(late);
    }
    section.dispatchEvent(new Event('panel', { bubbles: true }));
  }

  /**
   * Some browsers fetch a module that failed only once, and then a new page is needed.
   * @param {string} id
   */
  async again(id) {
    await this.build(id);
    if (byId(id).dataset.panel !== 'failed') return;
    const asked = fetch(location.href, { method: 'HEAD', cache: 'no-store' });
    const back = await asked.then(
      ({ ok }) => ok,
      () => false,
    );
    if (!back) return;
    history.replaceState(null, '', location.search + this.store.fragment(id));
    location.reload();
  }

  /** @param {string} id @param {Panel} panel */
  frame(id, panel) {
    const json = () => this.told(id);
    const { exports } = panel;
    return tools(id, {
      panel: { ...panel, exports: { json, png: exports?.svg, ...exports } },
      reset: () => {
        this.store.reset(id);
        for (const { again } of panel.followed ?? []) again();
        panel.reset?.();
      },
      fragment: () => this.store.fragment(id),
    });
  }

  /**
   * The code of the panel that was touched last, or else of the first that has some.
   * @param {string} asking the panel that shows it
   */
  code(asking) {
    const ids = [this.store.section, ...this.panels.keys()];
    const id = ids.find((each) => each !== asking && this.panels.get(each)?.code);
    const text = id && this.panels.get(id)?.code?.();
    const title = id && byId(id).querySelector('h1, h2')?.textContent;
    return text && title ? { title, text } : undefined;
  }

  /** The numbers of a panel, and their settings. @param {string} id */
  told(id) {
    const signals = Object.entries(this.states?.[id] ?? {});
    const settings = Object.fromEntries(signals.map(([name, { value }]) => [name, value]));
    return { panel: id, link: location.href, settings, shown: this.panels.get(id)?.state?.() };
  }

  /** @param {string} id @param {Error & { code?: string }} error */
  refusal(id, { name, code, message }) {
    return html(
      'div',
      { class: 'failure', role: 'alert' },
      html(
        'p',
        {},
        html('strong', {}, 'This panel did not load. '),
        html('code', {}, `${name}${code ? ` ${code}` : ''}: ${message}`),
      ),
      html('p', {}, 'A panel is fetched when it comes near, and for that it needs the network.'),
      button('try again', () => void this.again(id)),
    );
  }
}
