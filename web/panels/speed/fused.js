/** One pass over the keys, span by span: the scores, the sums that are carried, their results. */
import { button } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import { block, numbersTable, paragraph, scrolling } from '../../page/layout.js';
import { Statement } from '../../page/statement.js';
import { axes } from '../../plot/chart.js';
import { html, setText, svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short, whole } from '../../plot/format.js';
import { extent, linear } from '../../plot/scale.js';
import { merge, N, resultsOf, SPAN, spanOf } from './fused-compute.js';
import { about, resultRows, sentence, spanRow } from './fused-words.js';
import { STEPS } from './state.js';

/** @typedef {ReturnType<typeof import('./fused-compute.js').follow>} Found */

const NEXT = 'next span';
const HEIGHT = 190;
const MARGIN = { left: 34, right: 16, top: 30, bottom: 44 };

const statements = () => {
  const claim = 'the sums of the spans give the results of the library';
  const oracles = [spanOf, merge, resultsOf];
  const allowance =
    'Allowed: u·(n + 8 + 4·(d + 4)·A)·S, with A the largest Σ|q·k|/√d and S one more than the ' +
    'range of the scores. For the variance S counts twice, and for the output it is Σ p|v|. ' +
    'In float64, u = 2⁻⁵³, and the library takes no spans. In float32, u = 2⁻²⁴.';
  return {
    float64: new Statement({ id: 'K2-float64', claim: `${claim}, float64`, allowance, oracles }),
    float32: new Statement({
      id: 'K2-float32',
      claim: `${claim}, float32`,
      allowance,
      oracles,
    }),
  };
};

export class Fused {
  /** @param {any} state @param {import('../../page/lab.js').Lab} lab */
  constructor(state, lab) {
    this.step = /** @type {import('../../page/signal.js').Signal<number>} */ (state.step);
    this.lab = lab;
    /** @type {Found | undefined} */
    this.found = undefined;
    this.checks = statements();
    this.figure = new Figure('fused-scores', (width) => this.draw(width));
    this.picture = this.figure.picture;
    this.picture.setAttribute('height', String(HEIGHT));
    this.said = paragraph('sentence');
    this.said.setAttribute('aria-live', 'polite');
    this.back = button('back', () => this.step.set(this.step.value - 1));
    this.next = button(NEXT, () => this.step.set((this.step.value % STEPS) + 1));
    const spans = numbersTable({
      name: 'fused',
      caption:
        'The sums after each span, rounded. Here the weight of a key is e to the power of its ' +
        'score minus the largest so far.',
      columns: [
        'keys',
        ['their largest score', { class: 'fused-wide' }],
        'largest so far',
        'old sums multiplied by',
        'new sums multiplied by',
        'sum of weights',
        ['sum of weight × (score − largest)', { class: 'fused-wide' }],
      ],
    });
    const results = numbersTable({
      name: 'fused',
      caption:
        'The results after the last span, and those of the library. It computes them with 16 ' +
        'digits (float64) and no spans, or with 7 (float32) in spans.',
      columns: [
        'result',
        'from the sums',
        ['library, 16 digits', { class: 'fused-wide' }],
        'difference from 16 digits',
        ['library, 7 digits', { class: 'fused-wide' }],
        ['difference from 7 digits', { class: 'fused-wide' }],
      ],
    });
    this.spans = spans.body;
    this.results = results.body;
    this.element = block(
      'fused-pass',
      html('h3', {}, 'One pass over the keys'),
      paragraph(
        'plain',
        'A weight is a share, so it depends on the scores of all keys. Still, the library reads ' +
          `each key only once, as this look at ${whole(N)} keys shows. It reads ${SPAN} keys at ` +
          'a time, called a span, and adds them to a few sums. The sums of a span are made with ' +
          'its own largest score. Then the old or the new sums are multiplied by a factor: ' +
          'those with the smaller largest score. Both are added.',
      ),
      this.figure.element,
      paragraph(
        'look-key',
        'Thin lines are the scores of the keys. The span on grey is read now, and faint lines ' +
          'are still to come. Dashed is the largest score so far.',
      ),
      this.said,
      block('look-buttons', this.back, this.next),
      scrolling('The sums after each span', spans.element),
      scrolling('The results of the sums', results.element),
      about(),
    );
  }

  async begin() {
    for (const each of Object.values(this.checks)) each.wait();
    onFrame([this.step], () => this.show());
    this.found = await this.lab.ask('speed', 'fused');
    if (!this.found) return;
    const { float64, float32 } = this.found;
    this.checks.float64.show(float64);
    this.checks.float32.show(float32);
    this.results.replaceChildren(...resultRows(this.found));
    this.show();
  }

  show() {
    if (!this.found) return;
    const { steps } = this.found;
    const at = this.step.value - 1;
    this.spans.replaceChildren(...steps.map((step, i) => spanRow(step, i, i === at)));
    setText(this.said, sentence(steps, at));
    setText(this.next, at === STEPS - 1 ? 'from the first span' : NEXT);
    if (!at && document.activeElement === this.back) this.next.focus();
    this.back.disabled = !at;
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.found) return;
    const { z, steps } = this.found;
    const at = this.step.value - 1;
    const x = linear([0, N], [MARGIN.left, width - MARGIN.right]);
    const y = linear(extent(z), [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const ticks = () =>
      [0, ...steps.map((_, i) => (i + 1) * SPAN)].map((value) => ({ value, label: String(value) }));
    const largest = y.at(steps[at].sums.max);
    const span = { x: x.at(at * SPAN), width: x.at(SPAN) - x.at(0) };
    const box = { ...span, y: MARGIN.top - 4, height: HEIGHT - MARGIN.bottom - MARGIN.top + 8 };
    const lines = outline(z, x, y);
    const read = Math.round((lines.length * (at + 1)) / STEPS);
    this.figure.fill(
      {
        height: HEIGHT,
        label:
          `The scores of ${N} keys in ${STEPS} spans. Span ${at + 1} is marked, and the largest ` +
          `score so far is ${short(steps[at].sums.max)}.`,
      },
      svg('rect', { ...box, class: 'fused-here' }),
      axes({ x: { ...x, ticks }, y, xLabel: 'key', yLabel: 'score', yTicks: 4 }),
      svg('path', { d: lines.slice(0, read).join(''), class: 'fused-line' }),
      svg('path', { d: lines.slice(read).join(''), class: 'fused-line fused-unread' }),
      svg('line', {
        x1: MARGIN.left,
        x2: span.x + span.width,
        y1: largest,
        y2: largest,
        class: 'limit',
      }),
    );
  }
}

/** From the lowest to the highest score of each column of pixels. @param {Float64Array} z */
function outline(
  z,
  /** @type {import('../../plot/scale.js').Scale} */ x,
  /** @type {import('../../plot/scale.js').Scale} */ y,
) {
  const columns = Math.max(1, Math.round(x.range[1] - x.range[0]));
  const per = z.length / columns;
  return Array.from({ length: columns }, (_, i) => {
    const some = z.subarray(Math.floor(i * per), Math.max(i * per + 1, Math.floor((i + 1) * per)));
    const [low, high] = extent(some);
    const [from, to] = [y.at(low) + 0.5, y.at(high) - 0.5];
    return `M${(x.range[0] + i + 0.5).toFixed(1)},${from.toFixed(1)}V${to.toFixed(1)}`;
  });
}
