/**
 * A head is born: a model of two layers is trained in front of the reader. In the end some of its
 * heads find the last occurrence of a letter, and look at the one that followed.
 */
import { CONFIG, OPTIONS, STEPS, THRESHOLD, unseen } from '../../../training/induction/recipe.js';
import { button, numberField } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import { html, setText } from '../../plot/dom.js';
import { paintRows, sizeOf } from '../look/paint.js';
import { Story } from '../look/story.js';
import { TextView } from '../look/text-view.js';
import { Wall } from '../look/wall.js';
import { percent } from '../look/words.js';
import { codeOf } from './code.js';
import { best, Curves } from './curves.js';
import { Run } from './run.js';
import { scoreStatement, compareScores } from './scores-checked.js';

/** Tokens have no meaning, so they are letters. */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef';
const LENGTH = OPTIONS.context;
/** The first letter of the second time. */
const AGAIN = LENGTH / 2;
/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, lab }) {
  root.classList.add('born');
  const tokens = unseen().tokens.subarray(0, LENGTH);
  const story = new Story(
    { layers: CONFIG.layers, heads: CONFIG.heads, kvHeads: CONFIG.heads },
    LENGTH,
  );
  for (const id of tokens) story.add({ id, text: `${LETTERS[id]} ` });
  /** @type {Run | undefined} */
  let run;
  /** The head that the reader chose; else the one that looks most like an induction head. */
  let chosen = -1;
  let pointed = AGAIN + 12;
  let training = false;

  const text = new TextView({
    point: (i) => void ((pointed = i), draw()),
    lock: (i) => void ((pointed = i), draw()),
    leave: () => {},
    release: () => {},
  });
  const wall = new Wall(({ layer, head }) => void ((chosen = layer * CONFIG.heads + head), draw()));
  const large = html('canvas', { class: 'born-map', 'aria-hidden': 'true' });
  const framed = html('div', { role: 'img', 'aria-label': 'The map of a head, large' }, large);
  const start = button('▶ Train it', press);
  start.classList.add('primary');
  const bar = html('progress', { max: STEPS, value: 0, 'aria-label': 'Steps of training' });
  const steps = html('p', { class: 'born-steps', role: 'status' });
  const said = html('p', { class: 'look-said' });
  const curves = new Curves();
  const statement = scoreStatement();
  root.replaceChildren(
    html(
      'div',
      { class: 'born-bar look-bar' },
      html('div', { class: 'look-buttons' }, start),
      bar,
      steps,
      html(
        'div',
        { class: 'controls' },
        numberField(state.seed, { label: 'seed', min: 0, max: 2 ** 32 - 1 }),
      ),
    ),
    text.element,
    html(
      'div',
      { class: 'look-below' },
      html(
        'div',
        { class: 'look-left' },
        said,
        wall.element,
        html(
          'p',
          { class: 'look-caption' },
          'Sixteen heads in two layers, and one of them large. Each row shows where it looks ' +
            'from one letter. A head that looks at what followed draws a second line.',
        ),
        framed,
      ),
      html(
        'div',
        { class: 'look-side' },
        ...curves.elements,
        html('div', { class: 'statements' }, statement.element),
      ),
    ),
  );
  text.show(story);
  wall.build(story);

  function press() {
    if (training && run && !run.ended) run.pause(!run.paused);
    else begin(STEPS);
    draw();
  }

  /** @param {number} length steps; 0: the model before any training */
  function begin(length) {
    run?.end();
    training = length > 0;
    statement.wait();
    chosen = -1;
    const mine = new Run(state.seed.value, lab, (change) => {
      if (mine !== run) return;
      if (change === 'point') show(mine);
      draw();
    });
    run = mine;
    void mine.start(length);
  }

  /** @param {Run} from */
  function show({ points, rows }) {
    const point = points[points.length - 1];
    if (!rows) return;
    const { weights, budgets } = rows;
    const heads = CONFIG.layers * CONFIG.heads;
    story.weights.set(weights.subarray(0, heads * story.triangle));
    story.rho.set(budgets.subarray(0, heads * LENGTH));
    story.rows = LENGTH;
    wall.changed(0);
    const sequences = weights.length / (heads * story.triangle);
    if (sequences === 1) return;
    const all = unseen().tokens.subarray(0, sequences * LENGTH);
    statement.show(compareScores(weights, all, point));
  }

  /** The one head, large. @param {{ layer: number, head: number }} head */
  function paintLarge(head) {
    const size = sizeOf(story, large.clientWidth);
    Object.assign(large, { width: size.pixels, height: size.pixels });
    paintRows(large, story, head, size, 0);
    framed.setAttribute('aria-label', `The map of head ${head.layer}.${head.head}`);
  }

  const phase = () =>
    !training || !run ? 'idle' : run.ended ? 'over' : run.paused ? 'paused' : 'training';
  const label = () =>
    ({ idle: '▶ Train it', over: '▶ Train it again', paused: '▶ Go on', training: '❚❚ Pause' })[
      phase()
    ];

  const draw = onFrame([], () => {
    setText(start, label());
    const point = run?.points[run.points.length - 1];
    bar.value = run?.step ?? 0;
    setText(steps, run?.error ? run.error.message : `step ${run?.step ?? 0} of ${STEPS}`);
    root.dataset.step = String(point?.step ?? -1);
    root.dataset.phase = phase();
    if (!run || !point) return;
    const { points } = run;
    const leader = best(point.induction);
    const at = chosen >= 0 ? chosen : leader;
    const head = { layer: Math.floor(at / CONFIG.heads), head: at % CONFIG.heads };
    const name = `head ${head.layer}.${head.head}`;
    const score = point.induction[at];
    const letter = LETTERS[tokens[pointed]];
    const from = tokens.indexOf(tokens[pointed]);
    const row = story.row(head, pointed);
    said.replaceChildren(...sentence());
    text.shade(row, pointed, true, said.textContent ?? '');
    wall.paint();
    paintLarge(head);
    wall.mark(head, pointed, (each) => {
      const value = point.induction[each.layer * CONFIG.heads + each.head];
      return `Head ${each.layer}.${each.head}: ${percent(value)} on the letter that followed`;
    });
    curves.show(points, at);

    function sentence() {
      const next = LETTERS[tokens[from + 1]];
      const share = html('strong', { 'data-value': row[from + 1] }, percent(row[from + 1]));
      if (from === pointed)
        return [`‘${letter}’ comes for the first time, so ${name} has nothing to find.`];
      const born = score >= THRESHOLD ? ' It is an induction head.' : '';
      return [
        `‘${letter}’ comes again. The last time ‘${next}’ followed, and ${name} puts `,
        share,
        ` there.${born}`,
      ];
    }
  });

  state.seed.on(() => run && begin(0));
  document.addEventListener('themechange', () => {
    wall.repaint();
    draw();
  });
  statement.show({ verdict: 'none', measured: 0, allowed: 0, text: 'no model is there yet' });
  // the model before any training, when somebody looks
  const seen = new IntersectionObserver((entries) => {
    if (!entries[entries.length - 1].isIntersecting || run) return;
    seen.disconnect();
    begin(0);
  });
  seen.observe(root);
  return {
    reset: () => begin(0),
    state: () => ({ step: run?.step, points: run?.points }),
    code: () => codeOf(state.seed.value),
    dispose: () => {
      seen.disconnect();
      run?.end();
    },
  };
}
