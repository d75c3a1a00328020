/** II, commitment: softmax is the best use of a budget. */
import { slider } from '../../page/controls.js';
import { exampleOf } from '../../math/example.js';
import { bestUseOf, compromise, spending } from '../../math/roads.js';
import {
  besideWords,
  controlsRow,
  orGiveUp,
  paragraph,
  verdicts,
  wait,
} from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { fixed, scientific, short, whole } from '../../plot/format.js';
import { follow, ownTemperature } from '../../page/row.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { WordBars } from './bars.js';
import { codeOf } from './code.js';
import { shareOf, spend } from './compute.js';
import { Plane } from './picture.js';

/** @typedef {import('./picture.js').Crowd} Crowd */

const statements = () => ({
  crowd: new Statement({
    id: 'C13',
    claim: 'no challenger is above the frontier',
    allowance:
      'Each challenger is compared with the best score at its own budget. Allowed: 32u·n·max|z|.',
    oracles: [spending],
  }),
  route: new Statement({
    id: 'C11',
    claim: 'a route that knows no exponential spends as much and wins as much',
    allowance:
      'Allowed, in nats: u·(16 + 8B), B = max|z|/T. The route is told the budget only. ' +
      'The score it wins is compared in units of T.',
    oracles: [bestUseOf, compromise],
  }),
  slope: new Statement({
    id: 'C14',
    claim: 'the slope of the frontier is the temperature',
    allowance:
      'The frontier bends down, so its slope lies between those of the chords that begin and ' +
      'end here. Allowed outside of them: rounding of the scores over the length of a chord.',
    oracles: [],
  }),
  forms: new Statement({
    id: 'C7',
    claim: 'four ways to count what a head spends agree',
    allowance:
      'The statistic of the fused pass, log n − H, ⟨z⟩/T − lse + log n, and the sum below. ' +
      'Allowed: u·(16 + 8B).',
    oracles: [spending],
  }),
});

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine: load, state, row, keys, lab }) {
  const engine = await load();
  const checks = statements();
  const bars = new WordBars('Weights of the best use of the budget');
  const heading = html('h3', { class: 'small' });
  const sentence = paragraph('sentence');
  const plane = new Plane({
    spend: (share) => state.share.set(share),
    challenge: (i) => {
      plane.choose(i);
      weigh(i);
    },
  });
  const budget = slider(state.share, {
    label: 'Share of the largest budget',
    min: 0,
    max: 1,
    step: 0.01,
    say: (share) => `${Math.round(100 * share)} per cent of the largest budget`,
  });
  root.replaceChildren(
    besideWords(plane.figure.element, sentence, controlsRow(budget.element), heading, bars.element),
    verdicts(checks),
  );

  /** @type {{ example: import('../../math/example.js').Example, crowd: Crowd } | undefined} */
  let scene;
  /** @type {ReturnType<typeof spend> | undefined} */
  let spent;

  /** The weights of a challenger, or of softmax. @param {number | undefined} i */
  function weigh(i) {
    if (!scene || !spent) return;
    const n = scene.example.words.length;
    const { weights } = i === undefined ? spent : scene.crowd;
    const own = i === undefined ? weights : weights.subarray(i * n, (i + 1) * n);
    const who = i === undefined ? 'Softmax' : `Challenger ${i + 1}`;
    setText(heading, `${who} shares out, in rounded numbers`);
    bars.show(scene.example.words, own);
  }

  function draw() {
    if (!scene) return;
    const { crowd, example } = scene;
    spent = spend(engine, example.scores, state.share.value);
    plane.show(crowd, spent);
    weigh(plane.chosen);
    const part = Math.round((100 * spent.rho) / spent.rhoMax);
    setText(
      sentence,
      `Softmax spends ${fixed(spent.rho, 2)} nats, ${part}\u202f% of the largest budget, and ` +
        'wins a score of ' +
        `${fixed(spent.score, 2)}. ` +
        `Of ${whole(crowd.result.count)} challengers, ${crowd.result.above || 'none'} ` +
        `${crowd.result.above > 1 ? 'win' : 'wins'} more for the same.`,
    );
    tell(checks, spent, crowd);
  }

  async function compete() {
    const example = exampleOf(row.value, keys);
    scene = spent = undefined;
    wait(checks);
    const crowd = await lab.ask('commitment', 'compete', [example.scores]);
    if (!crowd) return;
    scene = { example, crowd };
    draw();
  }

  const share = follow(row, state.share, (sent) =>
    shareOf(engine, exampleOf(sent, keys).scores, sent.temperature),
  );
  onFrame([state.share], draw);
  onFrame([row], () => void orGiveUp(checks, compete()));
  document.addEventListener('themechange', draw);
  await compete();
  // at the ends of the frontier no temperature is on show
  const isInside = () => state.share.value > 0 && state.share.value < 1;
  const note = () => (isInside() ? ownTemperature(row.value) : '');
  return {
    followed: [{ ...share, note }],
    settled: () => lab.settled('commitment'),
    state: () => ({ words: scene?.example.words, scores: scene?.example.scores, ...spent }),
    code: () =>
      codeOf({ ...(scene?.example ?? exampleOf(row.value, keys)), share: state.share.value }),
    exports: { svg: () => plane.figure.picture },
  };
}

/**
 * @param {ReturnType<typeof statements>} checks
 * @param {ReturnType<typeof spend>} found @param {Crowd} crowd
 */
function tell(checks, found, crowd) {
  const { highest, above, allowed, count } = crowd.result;
  checks.crowd.show({
    measured: highest,
    allowed,
    text:
      `${above} of ${whole(count)} are above; ` +
      `the boldest stays ${scientific(-highest)} below it`,
    data: { above, count },
  });
  const end = { verdict: /** @type {const} */ ('none'), text: 'an end of the frontier' };
  const data = { rho: found.rho, score: found.score, temperature: found.T };
  checks.route.show({ ...found.route, data, ...(found.inside ? {} : end) });
  const { ahead, behind } = found.slope;
  checks.slope.show({
    ...found.slope,
    data: { ahead, behind, temperature: found.T },
    ...(found.inside
      ? { text: `${short(found.T, 5)}, between ${short(ahead, 5)} and ${short(behind, 5)}` }
      : end),
  });
  checks.forms.show({ ...found.agree, data: { rho: found.rho, entropy: found.entropy } });
}
