/** The plane of budget and score: challengers, the frontier, and softmax on it with its slope. */
import { axes, dots, line } from '../../plot/chart.js';
import { svg } from '../../plot/dom.js';
import { Figure } from '../../plot/figure.js';
import { short, whole } from '../../plot/format.js';
import { handle } from '../../plot/handle.js';
import { extent, linear } from '../../plot/scale.js';

/** @typedef {Awaited<ReturnType<typeof import('./worker.js').compete>>} Crowd */
/** @typedef {ReturnType<typeof import('./compute.js').spend>} Spent */

const HEIGHT = 430;
const MARGIN = { left: 46, right: 16, top: 34, bottom: 50 };
/** The widest name of the tangent, in pixels: “slope = T = 0.0123”. */
const LABEL = 132;

export class Plane {
  /**
   * @param {{ spend: (share: number) => void, challenge: (i: number | undefined) => void }} actions
   */
  constructor({ spend, challenge }) {
    this.figure = new Figure('frontier', (width) => this.draw(width));
    const { picture } = this.figure;
    this.x = linear([0, 1], [0, 1]);
    this.y = linear([0, 1], [1, 0]);
    this.point = handle(
      {
        label: 'budget',
        name: 'spent',
        min: 0,
        max: 1,
        step: 0.01,
        under: (x) => {
          const { domain } = this.x;
          return Number((this.x.invert(this.figure.pointIn(x, 0)[0]) / domain[1]).toFixed(3));
        },
        move: spend,
      },
      svg('path', { d: 'M0,-9l9,9l-9,9l-9,-9Z', class: 'dot' }),
    );
    picture.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'touch') return;
      // softmax is shown while it is dragged
      const dragged = event.buttons > 0;
      const [px, py] = this.figure.pointIn(event.clientX, event.clientY);
      challenge(dragged ? undefined : this.nearest(px, py));
    });
    picture.addEventListener('pointerleave', () => challenge(undefined));
    /** @type {number | undefined} */
    this.chosen = undefined;
    /** @type {{ crowd: Crowd, spent: Spent } | undefined} */
    this.shown = undefined;
  }

  /** The challenger under a pointer. @param {number} px @param {number} py */
  nearest(px, py) {
    if (!this.shown) return undefined;
    const { rho, score } = this.shown.crowd;
    let best = 15 ** 2;
    let found;
    for (let i = 0; i < rho.length; i++) {
      const far = (this.x.at(rho[i]) - px) ** 2 + (this.y.at(score[i]) - py) ** 2;
      if (far < best) [best, found] = [far, i];
    }
    return found;
  }

  /** @param {Crowd} crowd @param {Spent} spent */
  show(crowd, spent) {
    this.shown = { crowd, spent };
    this.figure.again();
  }

  /** @param {number | undefined} i */
  choose(i) {
    if (i === this.chosen) return;
    this.chosen = i;
    this.figure.again();
  }

  /** @param {number} width */
  draw(width) {
    if (!this.shown) return;
    const { crowd, spent } = this.shown;
    const [low, high] = extent([...crowd.score, ...crowd.frontier.map((p) => p.score)]);
    const margin = (high - low) * 0.06;
    this.x = linear([0, spent.rhoMax], [MARGIN.left, width - MARGIN.right]);
    this.y = linear([low - margin, high + margin], [HEIGHT - MARGIN.bottom, MARGIN.top]);
    const { x, y } = this;
    const place = (/** @type {{ rho: number, score: number }} */ p) =>
      /** @type {[number, number]} */ ([x.at(p.rho), y.at(p.score)]);
    const { chosen } = this;
    this.point.place(
      x.at(spent.rho),
      y.at(spent.score),
      Number((spent.rho / spent.rhoMax).toFixed(3)),
      `${short(spent.rho)} of ${short(spent.rhoMax)} nats, score ${short(spent.score)}, ` +
        `slope ${short(spent.T)}`,
    );
    this.figure.fill(
      {
        height: HEIGHT,
        label:
          `Score against budget: ${whole(crowd.rho.length)} random challengers, all below the ` +
          `frontier. Softmax spends ${short(spent.rho)} nats for a score of ${short(spent.score)}.`,
        caption:
          `Grey: ${whole(crowd.rho.length)} random ways to share out the look. The line is the ` +
          'best that any budget can buy. The diamond is softmax, and the slope there is the ' +
          'temperature. Drag it along the line. Each grey dot can be pointed at.',
      },
      axes({ x, y, xLabel: 'budget spent, in nats', yLabel: 'mean score won' }),
      dots(
        Array.from(crowd.rho, (rho, i) => place({ rho, score: crowd.score[i] })),
        'challenger',
      ),
      line(crowd.frontier.map(place), 'curve frontier-line'),
      spent.inside && this.tangent(spent),
      chosen !== undefined &&
        svg('circle', {
          cx: x.at(crowd.rho[chosen]),
          cy: y.at(crowd.score[chosen]),
          r: 6,
          class: 'chosen',
        }),
      this.point.element,
    );
  }

  /** @param {Spent} spent */
  tangent({ rho, score, T }) {
    const { x, y } = this;
    // as far to either side as the frame and its top allow
    const [low, high] = y.domain;
    const reach = 0.22 * x.domain[1];
    const from = Math.max(0, rho - reach, rho - (score - low) / T);
    const to = Math.min(x.domain[1], rho + reach, rho + (high - score) / T);
    const at = (/** @type {number} */ r) => y.at(score + T * (r - rho));
    const flat = (to - rho) * T < (high - low) / 3;
    const right = x.range[1] - LABEL;
    return svg(
      'g',
      {},
      svg('line', { x1: x.at(from), x2: x.at(to), y1: at(from), y2: at(to), class: 'tangent' }),
      svg(
        'text',
        {
          x: Math.min(right, x.at(rho) + (flat ? 0 : 16)),
          y: Math.min(y.range[0] - 6, y.at(score) + 30),
          class: 'strong over-dots',
        },
        `slope = T = ${short(T)}`,
      ),
    );
  }
}
