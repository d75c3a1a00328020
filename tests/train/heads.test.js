/** The scores of heads, from the weights of the reference. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrainer } from '../../src/js/train/index.js';
import { reference } from '../support/reference.js';
import { repeated, tiny } from '../support/train/tasks.js';
import { linear, rmsNorm, rotate } from '../support/train/textbook.js';

const CONTEXT = 12;

/** The reference's weights and scores (heads, n, n) of the first layer of one sequence. */
function firstLayer(trainer, tokens) {
  const { modelDim: width, heads, kvHeads, headDim: dim, ropeTheta, normEps } = trainer.config;
  const w = new Map(trainer.parameters().map(({ name, data }) => [name, Float64Array.from(data)]));
  const of = (name) => w.get(`model.layers.0.${name}.weight`);
  const embedding = w.get('model.embed_tokens.weight');
  const x = Float64Array.from(
    [...tokens].flatMap((token) => [...embedding.subarray(token * width, (token + 1) * width)]),
  );
  const normed = rmsNorm(x, of('input_layernorm'), normEps);
  const [q, k, v] = ['q', 'k', 'v'].map((role) =>
    linear(normed, of(`self_attn.${role}_proj`), width),
  );
  const turn = (y, count) => rotate(y, count, dim, ropeTheta, CONTEXT);
  const call = { heads, kvHeads, headDim: dim, layout: 'bshd', causal: true };
  return reference(turn(q, heads), turn(k, kvHeads), v, call);
}

/** The sums over rows, and how many rows there are. */
function scoresOf(head, { weights: p, raw }, tokens) {
  const sums = { rho: 0, chi: 0, previousToken: 0, induction: 0, found: 0 };
  for (let i = 1; i < CONTEXT; i++) {
    const at = (head * CONTEXT + i) * CONTEXT;
    const [weights, scores] = [p, raw].map((x) => x.subarray(at, at + i + 1));
    const mean = weights.reduce((sum, x, j) => sum + x * scores[j], 0);
    sums.rho += weights.reduce((sum, x) => sum + x * Math.log(x * (i + 1)), 0);
    sums.chi += weights.reduce((sum, x, j) => sum + x * (scores[j] - mean) ** 2, 0);
    sums.previousToken += weights[i - 1];
    const after = [...weights.keys()].filter((j) => j > 0 && j < i && tokens[j - 1] === tokens[i]);
    if (after.length) sums.found++;
    for (const j of after) sums.induction += weights[j];
  }
  return sums;
}

test('ρ, χ and both scores are means over rows of the weights of some sequences', async () => {
  const trainer = await createTrainer(tiny, {
    seed: 2,
    batch: 3,
    context: CONTEXT,
    initialDeviation: 0.5,
  });
  const tokens = repeated(4, 3, CONTEXT, tiny.vocab, 5);
  const got = trainer.heads(tokens);
  const sequences = [0, 1, 2].map((s) => tokens.subarray(s * 13, s * 13 + CONTEXT));
  const layers = sequences.map((sequence) => firstLayer(trainer, sequence));
  for (let head = 0; head < tiny.heads; head++) {
    const parts = sequences.map((sequence, s) => scoresOf(head, layers[s], sequence));
    const sum = (name) => parts.reduce((total, part) => total + part[name], 0);
    assert.ok(sum('found') > 15);
    for (const name of ['rho', 'chi', 'previousToken', 'induction']) {
      const want = sum(name) / (name === 'induction' ? sum('found') : 3 * (CONTEXT - 1));
      // some tens of roundings of 2⁻²⁴, of numbers up to about 4
      assert.ok(Math.abs(got[name][head] - want) < 1e-5, `${name} of ${head}: ${got[name][head]}`);
    }
  }
  for (const scores of Object.values(got)) assert.equal(scores.length, tiny.layers * tiny.heads);
});

test('a step gives the scores of the parameters that it began with', async () => {
  const trainer = await createTrainer(tiny, { batch: 2, context: CONTEXT, initialDeviation: 0.5 });
  const tokens = repeated(1, 2, CONTEXT, tiny.vocab, 5);
  const before = trainer.heads(tokens);
  assert.deepEqual((await trainer.step(tokens, { heads: true })).heads, before);
  assert.notDeepEqual(trainer.heads(tokens), before);
  assert.equal((await trainer.step(tokens)).heads, undefined);
});

test('induction is 0 where no token occurs twice', async () => {
  const trainer = await createTrainer(tiny, { batch: 1, context: CONTEXT });
  const { induction } = trainer.heads(Int32Array.from({ length: CONTEXT + 1 }, (_, i) => i));
  assert.deepEqual(
    [...induction],
    Array.from(induction, () => 0),
  );
});
