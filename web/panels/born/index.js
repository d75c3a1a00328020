/**
 * A head is born: a model of two layers is trained in front of the reader. In the end some of its
 * heads find the last occurrence of a letter, and look at the one that followed.
 */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { CONFIG, STEPS, unseen } from '../../../training/induction/recipe.js';
import { button, numberField } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import {
  block,
  columns,
  controlsRow,
  onSight,
  paragraph,
  status,
  verdicts,
} from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { percent } from '../../plot/format.js';
import { paintRows, sizeOf } from '../look/paint.js';
import { TextView } from '../look/text-view.js';
import { Wall } from '../look/wall.js';
import { codeOf } from './code.js';
import { Curves } from './curves.js';
import { leaderOf } from './leader.js';
import { AGAIN, headAt, LENGTH, meanInWords, sentence, storyOfLetters } from './letters.js';
import { Run } from './run.js';
import { scoreStatement, compareScores } from './scores-checked.js';

const LABELS = {
  idle: '▶ Train it',
  over: '▶ Train it again',
  paused: '▶ Go on',
  training: '❚❚ Pause',
};

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, lab }) {
  root.classList.add('born');
  const birth = new Birth(root, state.seed, lab);
  root.replaceChildren(...birth.laidOut());
  birth.listen();
  const seen = onSight(root, (visible) => {
    if (!visible || birth.run) return;
    seen.disconnect();
    birth.begin(0);
  });
  return {
    reset: () => birth.begin(0),
    state: () => ({ step: birth.run?.step, points: birth.run?.points }),
    code: () => codeOf(state.seed.value),
    dispose: () => {
      seen.disconnect();
      birth.run?.end();
    },
  };
}

/** A run of training, and the pictures of its model. */
class Birth {
  /**
   * @param {HTMLElement} root @param {import('../../page/state.js').Signal<number>} seed
   * @param {import('../../page/lab.js').Lab} lab
   */
  constructor(root, seed, lab) {
    this.root = root;
    this.seed = seed;
    this.lab = lab;
    this.story = storyOfLetters();
    /** @type {Run | undefined} */
    this.run = undefined;
    /** The head that the reader chose; else the words name the one that leads. */
    this.chosen = -1;
    this.pointed = AGAIN + 12;
    this.training = false;
    const point = (/** @type {number} */ i) => {
      this.pointed = i;
      this.draw();
    };
    this.text = new TextView(
      { point, lock: point, leave: () => {}, release: () => {} },
      'The letters, one by one. Arrow keys move.',
    );
    this.wall = new Wall(({ layer, head }) => {
      this.chosen = layer * CONFIG.heads + head;
      this.draw();
    });
    this.large = html('canvas', { class: 'born-map', 'aria-hidden': 'true' });
    this.framed = html(
      'div',
      { role: 'img', 'aria-label': 'The map of a head, large' },
      this.large,
    );
    this.start = button(LABELS.idle, () => this.press(), 'quiet primary');
    this.bar = html('progress', { max: STEPS, value: 0, 'aria-label': 'Steps of training' });
    this.steps = status('born-steps');
    this.said = paragraph('look-said');
    this.mean = paragraph('look-key');
    this.curves = new Curves();
    this.statement = scoreStatement();
    this.draw = onFrame([], () => this.redraw());
  }

  laidOut() {
    const caption = paragraph(
      'look-caption',
      'Sixteen heads in two layers, and the framed one again below, large. Each row shows where ' +
        'it looks from one letter. A head that looks at what followed draws a second line. ' +
        'Choose a head to stay with it. Another seed makes another model.',
    );
    const seed = numberField(this.seed, {
      label: 'seed',
      min: 0,
      max: 2 ** 32 - 1,
    });
    return [
      block(
        'born-bar look-bar',
        block('look-buttons', this.start),
        this.bar,
        this.steps,
        controlsRow(seed),
      ),
      this.text.element,
      columns(
        [block('', this.said, this.mean), this.wall.element, caption, this.framed],
        [...this.curves.elements, verdicts([this.statement])],
      ),
    ];
  }

  listen() {
    const { text, wall, story } = this;
    text.show(story);
    wall.build(story);
    this.seed.on(() => this.run && this.begin(0));
    document.addEventListener('themechange', () => {
      wall.repaint();
      this.draw();
    });
    this.statement.nothing('no model is there yet');
  }

  press() {
    const { run } = this;
    if (this.training && run && !run.ended) run.pause(!run.paused);
    else this.begin(STEPS);
    this.draw();
  }

  /** @param {number} length steps; 0: the model before any training */
  begin(length) {
    this.run?.end();
    this.training = length > 0;
    if (length) this.statement.nothing('the scores are summed up when the training is over');
    else this.statement.wait();
    this.chosen = -1;
    const run = new Run(this.seed.value, this.lab, (change) => {
      if (run !== this.run) return;
      if (change === 'point') this.read(run);
      if (run.error) this.statement.nothing('the training did not end');
      this.draw();
    });
    this.run = run;
    void run.start(length);
  }

  /** The rows of the newest point. @param {Run} run */
  read({ points, rows }) {
    if (!rows) return;
    const { story } = this;
    const { weights, budgets } = rows;
    const heads = CONFIG.layers * CONFIG.heads;
    story.weights.set(weights.subarray(0, heads * story.triangle));
    story.rho.set(budgets.subarray(0, heads * LENGTH));
    story.rows = LENGTH;
    this.wall.changed(0);
    const sequences = weights.length / (heads * story.triangle);
    if (sequences === 1) return;
    const all = unseen().tokens.subarray(0, sequences * LENGTH);
    this.statement.show(compareScores(weights, all, points[points.length - 1]));
  }

  get phase() {
    const { training, run } = this;
    if (!training || !run) return 'idle';
    return run.ended ? 'over' : run.paused ? 'paused' : 'training';
  }

  redraw() {
    const { run, phase, root } = this;
    setText(this.start, LABELS[phase]);
    const point = run?.points[run.points.length - 1];
    this.bar.value = run?.step ?? 0;
    const duration = phase === 'idle' ? ', which take about a minute' : '';
    // all numbers and maps are of the newest point, while the bar may be some steps ahead
    const progress = `step ${point?.step ?? 0} of ${STEPS}${duration}`;
    setText(this.steps, run?.error ? run.error.message : progress);
    root.dataset.step = String(point?.step ?? -1);
    root.dataset.phase = phase;
    if (!run || !point) return;
    const leader = this.chosen < 0 ? leaderOf(run.points) : undefined;
    const at = leader?.at ?? this.chosen;
    this.showHead(at, point.induction);
    setText(this.mean, meanInWords(at, point.induction[at], leader));
    this.curves.show(run.points, at);
  }

  /** @param {number} at the head @param {ArrayLike<number>} scores of all heads */
  showHead(at, scores) {
    const { story, said, pointed, text, wall } = this;
    const head = headAt(at);
    const row = story.row(head, pointed);
    said.replaceChildren(...sentence(story, head, row, pointed));
    text.shade(row, pointed, true, said.textContent ?? '');
    wall.paint();
    this.paintLarge(head);
    wall.mark(head, pointed, ({ layer, head: each }) => {
      const score = percent(scores[layer * CONFIG.heads + each]);
      return `Head ${layer}.${each}: a mean of ${score} on the letter that followed`;
    });
  }

  /** The one head, large. @param {import('../look/writing/story.js').Head} head */
  paintLarge(head) {
    const { large, story } = this;
    const size = sizeOf(story, large.clientWidth);
    Object.assign(large, { width: size.pixels, height: size.pixels });
    paintRows(large, story, head, size, 0);
    this.framed.setAttribute('aria-label', `The map of head ${headName(head)}`);
  }
}
