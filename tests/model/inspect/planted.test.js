/** Heads that are planted in the weights come out with the values that they were given. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { engines } from '../../support/models/engines.js';
import {
  LOGIT,
  VOCAB,
  entropyOf,
  logitOf,
  planted,
  rowsOf,
  scoresOf,
} from '../../support/models/planted.js';
import { asSafetensors } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const source = asSafetensors(planted());
const NAMES = ['0.0', '0.1', '1.0', '1.1'];
const near = (got, want, size, what) =>
  assert.ok(Math.abs(got - want) <= size, `${what}: ${got}, not ${want}`);
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

/** Different ids that are not control tokens. */
function distinct(r, count) {
  const ids = Array.from({ length: VOCAB - 3 }, (_, x) => x + 3);
  return Array.from({ length: count }, () => ids.splice(r.integer(0, ids.length - 1), 1)[0]);
}

/** Prompts whose last token came before, or did not. */
const promptsOf = (r, repeated) =>
  Array.from({ length: 16 }, (_, x) => {
    const ids = distinct(r, 15 + (x % 3));
    const at = r.integer(1, ids.length - 4);
    return repeated ? [...ids.slice(0, -1), ids[at]] : ids;
  });

/** The mean of a function of the last row of one head, over prompts. */
const meanOf = (prompts, head, f) =>
  mean(prompts.map((ids) => f(rowsOf(ids, ids.length - 1)[head])));
const rho = (row) => Math.log(row.length) - entropyOf(row);
function chi(row) {
  const kept = row.filter((p) => p > 0);
  const h = entropyOf(row);
  return kept.reduce((sum, p) => sum + p * (Math.log(p) + h) ** 2, 0) / Math.log(row.length) ** 2;
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, async () => {
    const model = await loadModel(source, { engine });

    test('scores are those of the planted heads, and labels follow', async () => {
      const r = random(7);
      const repeats = [20, 12, 17].map((period) => distinct(r, period)).map((x) => [...x, ...x]);
      const [prompt] = promptsOf(r, true);
      const behind = prompt.indexOf(prompt[prompt.length - 1]) + 1;
      const sources = [{ prompt, positions: [behind] }];
      const { heads } = await model.heads.scores({ repeats, sources });
      scoresOf(repeats).forEach((want, x) => {
        const { scores } = heads[x];
        for (const [name, value] of Object.entries(want))
          near(scores[name], value, 2e-5, `${name} of ${NAMES[x]}`);
        near(scores.source, rowsOf(prompt, prompt.length - 1)[x][behind], 2e-5, 'source');
      });
      // of 49 rows in the second periods, three have the first token before them as well
      near(heads[2].scores.induction, (49 - 3 / 2) / 49, 1e-6, 'induction of 1.0');
      near(heads[1].scores.previous, 1, 1e-6, 'previous of 0.1');
      near(heads[2].scores.copying, 1, 1e-6, 'copying of 1.0');
      near(heads[3].scores.robustness, 0, 1e-5, 'robustness of 1.1');
      assert.deepEqual(
        heads.map(({ labels }) => labels),
        [
          [],
          ['previous token', 'entropy-robust'],
          ['induction', 'answer source', 'entropy-robust', 'copying'],
          [],
        ],
      );
    });

    test('a fingerprint finds the heads that tell the sets apart, with their ρ and χ', async () => {
      const sets = { a: promptsOf(random(1), true), b: promptsOf(random(2), false) };
      const got = await model.heads.fingerprint(sets.a, sets.b);
      for (const [set, prompts] of Object.entries(sets))
        NAMES.forEach((name, x) => {
          near(got[set].rho[x], meanOf(prompts, x, rho), 1e-5, `ρ of ${name} in ${set}`);
          near(got[set].chi[x], meanOf(prompts, x, chi), 1e-5, `χ of ${name} in ${set}`);
        });
      near(
        got.a.rho[2],
        meanOf(sets.a, 3, (row) => Math.log(row.length)),
        1e-6,
        'ρ = log n',
      );
      assert.deepEqual(got.found.map(({ layer, head }) => `${layer}.${head}`).sort(), [
        '0.0',
        '1.0',
      ]);
      for (const { adjusted } of got.found) assert.ok(adjusted <= 0.001);
      assert.deepEqual([got.p.rho[1], got.p.rho[3]], [1, 1]);
    });

    test('ablation tells found heads that write the answer from those that do not', async () => {
      const sets = { a: promptsOf(random(3), true), b: promptsOf(random(4), false) };
      const { ablated } = await model.heads.fingerprint(sets.a, sets.b);
      const [none, writes] = [0, 1].map((layer) => ablated.find((head) => head.layer === layer));
      near(none.effect.a, 0, 1e-9, 'effect of 0.0');
      near(none.effect.b, 0, 1e-9, 'effect of 0.0');
      // without it all tokens are alike, so that the effect is log V − H of the next token
      const effect = (row) => {
        const squares = row.reduce((sum, p) => sum + p * p, 0);
        const logits = [...row, ...Array(VOCAB - row.length).fill(0)].map((p) =>
          logitOf(p, squares),
        );
        const sum = logits.reduce((all, z) => all + Math.exp(z), 0);
        return Math.log(VOCAB) - entropyOf(logits.map((z) => Math.exp(z) / sum));
      };
      for (const set of ['a', 'b'])
        near(writes.effect[set], meanOf(sets[set], 2, effect), 1e-4, `effect in ${set}`);
      near(writes.effect.a, Math.log(VOCAB), 1e-3, `a logit of ${LOGIT} beside 0`);
    });

    test('sets of the same kind have no head that tells them apart', async () => {
      for (const repeated of [true, false]) {
        const sets = [5, 6].map((seed) => promptsOf(random(seed), repeated));
        assert.deepEqual((await model.heads.fingerprint(...sets)).found, []);
      }
    });
  });
