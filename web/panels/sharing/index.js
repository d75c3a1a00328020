/** Sharing: the cost of shared keys, and their savings. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { slider } from '../../page/controls.js';
import {
  besideWords,
  controlsRow,
  orGiveUp,
  paragraph,
  scrolling,
  verdicts,
  wait,
} from '../../page/layout.js';
import { setText } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { onFrame } from '../../page/frames.js';
import { cachesTable } from './caches-table.js';
import { statements, tell } from './checks.js';
import { codeOf, codeOfRow } from './code.js';
import { FARTHEST, Picture } from './picture.js';
import { Source } from './source.js';

/** @typedef {import('./picture.js').Shared} Shared */
/** @typedef {import('./layer.js').Layer} Layer */

/** Of the example. */
const T = 1;

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, lab, row, model }) {
  const checks = statements();
  const picture = new Picture();
  const sentence = paragraph('sentence');
  const part = slider(state.part, {
    label: 'From own keys to shared keys',
    min: 0,
    max: 1,
    step: 0.01,
    say: (value) => `${Math.round(100 * value)} per cent of the way to shared keys`,
  });
  root.replaceChildren(
    besideWords(picture.figure.element, sentence, controlsRow(part.element)),
    scrolling('Caches of models', cachesTable()),
    verdicts(checks),
  );

  const source = new Source(row, model);
  const wanted = () => ({ seed: state.seed.value, part: state.part.value, layer: source.layer });
  /**
   * The numbers on show, and that of which they are.
   * @type {{ numbers: Shared, of: ReturnType<typeof wanted> } | undefined}
   */
  let shown;
  async function share() {
    const of = wanted();
    const { layer, ...setting } = of;
    /** @type {Shared | undefined} */
    let numbers;
    try {
      numbers = await lab.ask('sharing', 'share', [{ ...setting, T }, layer?.looks]);
    } catch (error) {
      source.lost(layer);
      throw error;
    }
    if (!numbers) return;
    shown = { numbers, of };
    picture.show(numbers, layer !== undefined);
    setText(sentence, inWords(numbers, setting.part, layer));
    tell(checks, numbers, setting.part);
    source.drawn(layer);
  }

  source.follow(picture.figure.element);
  wait(checks);
  const { latent: _, ...ofSharing } = checks;
  onFrame([state.part, state.seed, source], () => void orGiveUp(ofSharing, share()));
  const [both] = await Promise.all([
    lab.ask('sharing', 'latent', [{ seed: state.seed.value, T }]),
    share(),
  ]);
  if (both)
    checks.latent.show({
      ...both,
      text: `measured ${scientific(both.measured)}, allowed ${scientific(both.allowed)}`,
    });
  return {
    unfit: source.unfit,
    settled: () => lab.settled('sharing'),
    state: () => {
      const { layer, ...setting } = shown?.of ?? wanted();
      return { ...setting, ...(layer && { ...layer.row, ids: layer.ids }), ...shown?.numbers };
    },
    code: () => {
      const { layer, ...setting } = wanted();
      return layer ? codeOfRow(layer, setting.part) : codeOf({ ...setting, T });
    },
    exports: { svg: () => picture.figure.picture },
  };
}

/**
 * @param {Shared} shared @param {number} part
 * @param {Layer | undefined} layer of the model
 */
function inWords({ measured: { weights2: changes }, bounds }, part, layer) {
  if (!part) return 'Nothing is shared yet, so no look changes. Move the slider.';
  const largest = changes.indexOf(Math.max(...changes));
  const way = `goes ${Math.round(100 * part)} % of the way to`;
  const last = changes.length - 1;
  const said = layer
    ? `Head ${headName(layer.row)} ${way} the mean of all ${layer.sets} sets of keys in its ` +
      `layer, which ${layer.heads} heads use. The row’s look changes by ` +
      `${short(changes[last], 2)}. `
    : `A head ${way} the keys it shares with three others. `;
  const all = layer ? `its last ${changes.length} looks` : `its ${changes.length} looks`;
  return (
    `${said}Of ${all} none changes by more than ${upTo(changes[largest])}. The tightest bound on ` +
    `that one is ${upTo(bounds.sharp.values[largest])}, and no two looks are farther apart than ` +
    `${fixed(FARTHEST, 2)}.`
  );
}

/** With two digits, and not below the number. @param {number} x */
const upTo = (x) => fixed(Math.ceil(100 * x) / 100, 2);
