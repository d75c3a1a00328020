/** Scores of heads are those of their weights, and of the eigenvalues of their circuits. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eigenvalues } from '../../../src/js/model/inspect/eigenvalues.js';
import { loadModel } from '../../../src/js/model/index.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import {
  asGguf,
  asSafetensors,
  configs,
  tiny,
  vocabulary,
} from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const near = (got, want, size, what) =>
  assert.ok(Math.abs(got - want) <= size, `${what}: ${got}, not ${want}`);

/** 1 − the slope of the least squares line, from 0 to 1. */
function robustness(points) {
  const [x, y] = [mean(points.map(([a]) => a)), mean(points.map(([, b]) => b))];
  const up = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  const slope = up / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  return Math.min(1, Math.max(0, 1 - slope));
}
const entropy = (row) => row.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);

describe('eigenvalues', () => {
  const r = random(41);

  test('of a similar matrix are those on the diagonal', () => {
    for (const n of [1, 2, 3, 8, 33]) {
      const wanted = Array.from({ length: n }, (_, x) => (x + 1) * (x % 3 ? 1 : -1));
      // S D S⁻¹ with S = I + N, N² = 0
      const matrix = new Float64Array(n * n);
      const half = n >> 1;
      for (let i = 0; i < n; i++) matrix[i * n + i] = wanted[i];
      for (let i = 0; i < half; i++)
        for (let j = half; j < n; j++) matrix[i * n + j] = (wanted[j] - wanted[i]) * r.normal();
      const found = eigenvalues(matrix, n);
      const sorted = found.map(({ re }) => re).sort((a, b) => a - b);
      wanted.sort((a, b) => a - b).forEach((x, at) => near(sorted[at], x, 1e-9 * n, `${n}`));
      assert.ok(found.every(({ im }) => im === 0));
    }
  });

  test('of rotations are complex pairs, and sums of powers are traces', () => {
    const n = 24;
    const matrix = Float64Array.from({ length: n * n }, () => r.normal());
    const trace = (a) => Array.from({ length: n }, (_, i) => a[i * n + i]).reduce((x, y) => x + y);
    const square = matrix.map((_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      let sum = 0;
      for (let k = 0; k < n; k++) sum += matrix[i * n + k] * matrix[k * n + j];
      return sum;
    });
    const [first, second] = [trace(matrix), trace(square)];
    const found = eigenvalues(matrix.slice(), n);
    assert.equal(found.length, n);
    near(
      found.reduce((sum, { re }) => sum + re, 0),
      first,
      1e-10,
      'trace',
    );
    near(
      found.reduce((sum, { re, im }) => sum + re * re - im * im, 0),
      second,
      1e-9,
      'square',
    );
    const turn = Float64Array.from([Math.cos(1), -Math.sin(1), Math.sin(1), Math.cos(1)]);
    const [a, b] = eigenvalues(turn, 2);
    near(a.re, Math.cos(1), 1e-15, 'real part');
    near(Math.abs(a.im), Math.sin(1), 1e-15, 'imaginary part');
    assert.equal(a.im, -b.im);
  });

  test('of a matrix with NaN are none', () => {
    assert.equal(eigenvalues(Float64Array.from([1, NaN, 0, 1]), 2), null);
  });
});

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const name of ['llama, tied, grouped', 'gemma3'])
      test(`${name}: scores of weights are those of a float64 pass`, async () => {
        const source = tiny(configs[name]);
        const model = await loadModel(asSafetensors(source), { engine });
        const once = tokensOf(42, 9, 64);
        const [text, twice, prompt] = [
          tokensOf(43, 14, 64),
          [...once, ...once],
          tokensOf(44, 7, 64),
        ];
        const { heads, scores } = await model.heads.scores({
          texts: [text],
          repeats: [twice],
          sources: [{ prompt, positions: [2, 4] }],
        });
        const [ofText, ofTwice, ofPrompt] = [text, twice, prompt].map((ids) =>
          forward(source, ids),
        );
        const { layers, heads: count, localLayers, slidingWindow } = model.config;
        assert.equal(heads.length, layers * count);
        for (const [x, { layer, head, scores: own, labels }] of heads.entries()) {
          const rows = (passes) => passes.map((pass) => [...pass.layers[layer].weights[head]]);
          const at = (row, position) => row[position];
          const texts = rows(ofText).slice(2);
          const later = rows(ofTwice).slice(9);
          const keys = (n) => (localLayers[layer] ? Math.min(n, slidingWindow) : n);
          const want = {
            previous: mean(texts.map((row) => at(row, row.length - 2))),
            first: mean(texts.map((row) => at(row, 0))),
            duplicate: mean(later.map((row, i) => at(row, i))),
            induction: mean(later.map((row, i) => at(row, i + 1))),
            source: rows(ofPrompt)[6][2] + rows(ofPrompt)[6][4],
            robustness: robustness(texts.map((row) => [Math.log(keys(row.length)), entropy(row)])),
          };
          for (const [score, value] of Object.entries(want)) {
            near(own[score], value, 1e-4, `${score} of ${layer}, ${head}`);
            assert.equal(scores[score][x], own[score]);
          }
          assert.equal(labels.includes('previous token'), own.previous >= 0.5);
        }
        model.dispose();
      });

    for (const name of ['llama, untied, heads of its own', 'gemma3'])
      test(`${name}: copying has the eigenvalues of the circuit over the vocabulary`, async () => {
        const config = { ...configs[name], vocab_size: 24 };
        const source = tiny(config);
        const model = await loadModel(asSafetensors(source), { engine });
        const { scores } = await model.heads.scores({ scores: ['copying'] });
        const { hidden_size: dim, num_attention_heads: count, num_key_value_heads: kv } = config;
        const d = config.head_dim ?? dim / count;
        const isGemma = config.model_type === 'gemma3_text';
        const t = (weight) => source.tensors[`model.${weight}.weight`].data;
        const gain = (weight) => Float64Array.from(t(weight), (w) => w + +isGemma);
        const embedding = t('embed_tokens');
        const output = isGemma ? embedding : source.tensors['lm_head.weight'].data;
        const scale = isGemma ? Math.sqrt(dim) : 1;
        const layer = 1;
        const at = `layers.${layer}`;
        const [before, last] = [gain(`${at}.input_layernorm`), gain('norm')];
        const behind = isGemma ? gain(`${at}.post_attention_layernorm`) : last.map(() => 1);
        const [v, o] = [t(`${at}.self_attn.v_proj`), t(`${at}.self_attn.o_proj`)];
        for (let head = 0; head < count; head++) {
          const kvHead = Math.floor(head / (count / kv));
          // token by token through the head to logits, all of it: (vocab, vocab)
          const matrix = new Float64Array(24 * 24);
          for (let token = 0; token < 24; token++) {
            const x = Array.from({ length: dim }, (_, c) => embedding[token * dim + c] * scale);
            const rms = Math.sqrt(mean(x.map((y) => y * y)) + config.rms_norm_eps);
            const h = x.map((y, c) => (y / rms) * before[c]);
            const value = Array.from({ length: d }, (_, k) =>
              h.reduce((sum, y, c) => sum + v[(kvHead * d + k) * dim + c] * y, 0),
            );
            const result = Array.from({ length: dim }, (_, r) =>
              value.reduce((sum, y, k) => sum + o[r * count * d + head * d + k] * y, 0),
            );
            for (let id = 0; id < 24; id++)
              matrix[id * 24 + token] = result.reduce(
                (sum, y, c) => sum + output[id * dim + c] * last[c] * behind[c] * y,
                0,
              );
          }
          const values = eigenvalues(matrix, 24);
          const sum = values.reduce((all, { re }) => all + re, 0);
          const size = values.reduce((all, { re, im }) => all + Math.hypot(re, im), 0);
          near(scores.copying[layer * count + head], sum / size, 1e-4, `head ${head}`);
        }
        model.dispose();
      });

    test('the random repeats are the same each time, without control tokens', async () => {
      const model = await loadModel(asGguf(tiny(configs.qwen2), vocabulary(64)), { engine });
      const seen = [];
      const read = async (repeats) =>
        (await model.heads.scores({ repeats, scores: ['induction'] })).scores.induction;
      const first = await read({ count: 2, period: 5 });
      assert.deepEqual(await read({ count: 2, period: 5, seed: 0 }), first);
      assert.notDeepEqual(await read({ count: 2, period: 5, seed: 1 }), first);
      await model.heads.scores({
        scores: ['first'],
        onProgress: (progress) => seen.push(progress),
      });
      const { done, total } = seen.at(-1);
      assert.deepEqual([done, total], [seen.length, seen.length]);
      model.dispose();
    });

    test('no score is without its definition, and no label without its threshold', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      model.prefill([1, 2, 3]);
      const { definitions, scores, heads } = await model.heads.scores({ repeats: { count: 1 } });
      assert.deepEqual([...model.cache.tokens], [1, 2, 3]);
      assert.deepEqual(Object.keys(scores), Object.keys(definitions));
      assert.equal(scores.source, undefined);
      for (const { scores: own, labels } of heads)
        assert.deepEqual(
          labels,
          Object.entries(definitions)
            .filter(([score, { threshold }]) => own[score] >= threshold)
            .map(([, { label }]) => label),
        );
      model.dispose();
    });

    test('a bad argument is refused by name', async () => {
      const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
      const refused = (options, code, message) =>
        assert.rejects(model.heads.scores(options), { name: 'ClearheadError', code, message });
      await refused(
        { scores: ['sinks'] },
        'ARG',
        /^scores\[0\] is "sinks"; expected "previous" or/,
      );
      await refused(
        { scores: ['source'] },
        'ARG',
        /^scores\[0\] is "source"; expected it with sou/,
      );
      await refused({ texts: ['a'] }, 'ARG', /^texts\[0\] is "a"; expected ids: the model has no/);
      await refused({ texts: [[1, 2]] }, 'SHAPE', /^texts is without a third token/);
      await refused(
        { repeats: [[1, 2, 1, 3]] },
        'ARG',
        /^repeats\[0\] is another sequence; expect/,
      );
      await refused(
        { repeats: { period: 1 } },
        'RANGE',
        /^period is 1; expected an integer from 2/,
      );
      await refused(
        { sources: [{ prompt: [1], positions: [1] }] },
        'RANGE',
        /positions\[0\] is 1; e/,
      );
      await refused({ text: [] }, 'ARG', /did you mean texts\?$/);
      model.dispose();
    });
  });
