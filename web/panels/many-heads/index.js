/**
 * Attention as it runs: H query heads over G key/value dictionaries, every weight visible, five
 * statements checked.
 */
import { options } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import { block, orGiveUp, paragraph, verdicts, wait } from '../../page/layout.js';
import { DEEP_KINDS, KIND_NAMES } from '../../plot/colour-scale.js';
import { html, setText } from '../../plot/dom.js';
import { onWidth } from '../../plot/width.js';
import { Bits } from './bits.js';
import { cacheSentence } from './caches.js';
import { Checks } from './checks.js';
import { codeOf } from './code.js';
import { settingOf } from './compute.js';
import { legendWords, mapsOf } from './maps.js';
import { Pointer } from './pointer.js';
import { statsOf, weightsOf } from './saved.js';
import { firstControls, moreControls } from './settings.js';
import { aboutProducts, inWords, movedInWords, sharingInWords } from './words.js';

/** @typedef {import('./compute.js').MachineState} MachineState */

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { lab, state }) {
  const machine = new Machine(root, lab, state);
  machine.listen(root);
  wait(machine.checks.all);
  await machine.compute();
  const setting = () => ({ ...settingOf(state), head: state.head.value });
  return {
    state: () => ({ ...setting(), ...statsOf(machine.heads) }),
    code: () => codeOf(setting()),
    sign: () => machine.sign(),
    settled: () => lab.settled('many-heads'),
    exports: { csv: () => weightsOf(machine.heads), png: () => machine.pointer.pinned.map.canvas },
  };
}

class Machine {
  /**
   * @param {HTMLElement} root @param {import('../../page/lab.js').Lab} lab
   * @param {MachineState} state
   */
  constructor(root, lab, state) {
    this.lab = lab;
    this.state = state;
    /** That of the newest heads. */
    this.setting = '';
    this.width = 0;
    /** @type {import('./worker.js').Heads | undefined} */
    this.latest = undefined;
    this.checks = new Checks(lab);
    this.pointer = new Pointer(state);
    this.sharing = html('span');
    this.note = html('span', { 'data-depth': 'understand' });
    this.moved = paragraph('figure-note');
    this.caches = paragraph('figure-note caches-note');
    this.meaning = aboutProducts();
    this.bits = new Bits();
    const { grid, large, pinned, several, legend, tableHost } = this.pointer;
    root.replaceChildren(
      firstControls(state),
      grid.element,
      paragraph('figure-note', this.sharing, this.note),
      this.moved,
      this.caches,
      this.bits.element,
      block(
        'machine-detail',
        large,
        block(
          'machine-right',
          pinned.readout,
          several.element,
          legend.element,
          options(state.colour, 'Colour', KIND_NAMES, DEEP_KINDS),
          this.meaning,
          moreControls(state),
        ),
      ),
      tableHost,
      verdicts(this.checks.all),
    );
  }

  /** @param {HTMLElement} root */
  listen(root) {
    const { H, G, n, d, T, causal, reach, seed, kind, poison } = this.state;
    const { colour, head, at, kept, bits } = this.state;
    const settings = [H, G, n, d, T, causal, reach, seed, kind, poison];
    const draw = () => this.draw();
    for (const signal of settings) signal.on(() => bits.set(''));
    onFrame(settings, () => void orGiveUp(this.checks.all, this.compute()));
    onFrame([colour, head, at, kept, bits], draw);
    root.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.pointer.locked) this.pointer.release();
    });
    document.addEventListener('themechange', draw);
    onWidth(this.pointer.grid.element, (width) => {
      this.width = width;
      draw();
    });
  }

  /** The newest heads are those of other settings. */
  get outdated() {
    return this.setting !== JSON.stringify(settingOf(this.state));
  }

  get heads() {
    if (!this.latest || this.outdated) throw new Error('the new heads are not there yet');
    return this.latest;
  }

  /** Puts the checksum into the link. Heads of other settings than those of the link have none. */
  sign() {
    const { state, latest } = this;
    state.bits.set(latest && !this.outdated ? latest.checksum : '');
  }

  async compute() {
    // the old heads are not drawn with the new head or cell
    this.latest = this.pointer.heads = undefined;
    this.setting = '';
    const setting = settingOf(this.state);
    const found = await this.lab.ask('many-heads', 'heads', [setting]);
    if (!found) return;
    this.latest = found;
    this.setting = JSON.stringify(setting);
    this.draw();
  }

  draw() {
    const { latest, width, pointer, state, checks } = this;
    if (!width || !latest || this.outdated) return;
    const { id, H, G, T, rho, entropy, moved, checksum } = latest;
    const { maps, hidden, scale } = mapsOf(latest, state.colour.value);
    const { grid, pinned, legend } = pointer;
    grid.show({ maps, G, rho, entropy, moved }, width);
    setText(this.sharing, sharingInWords(latest));
    setText(this.note, inWords(latest));
    setText(this.moved, movedInWords(latest));
    this.meaning.hidden = scale.kind !== 'value';
    this.caches.replaceChildren(...cacheSentence(H, G));
    this.bits.show(checksum, state.bits.value);
    legend.show(scale, legendWords(latest, hidden, pinned.map.pool));
    pointer.show(latest, maps);
    void checks.check(id, { heads: grid.heads, scale, T });
  }
}
