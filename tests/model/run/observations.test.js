/** Statistics, weights and rows of the past are what the passes computed, and change nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { trapped } from '../../support/faults.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const model = tiny(configs['llama, tied, grouped']);
    const gemma = tiny(configs.gemma3);
    const tokens = tokensOf(3, 30, 64);

    test('statistics are what the weights say', async () => {
      for (const source of [model, gemma]) {
        const loaded = await loadModel(asSafetensors(source), { engine });
        const { heads: count } = loaded.config;
        for (const [at, token] of tokens.entries()) {
          const { heads } = loaded.step(token, { observe: 'weights' });
          assert.equal(heads.weights.length, loaded.config.layers * count);
          for (const { layer, head, weights } of heads.weights) {
            const x = layer * count + head;
            const local = loaded.config.localLayers[layer];
            const n = local ? Math.min(at + 1, loaded.config.slidingWindow) : at + 1;
            assert.equal(weights.length, at + 1);
            assert.equal(heads.n[x], n);
            const entropy = -weights.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
            // weights are float32, whose rounding an entropy of up to log n multiplies by at most
            // log(1/p) for the small ones
            const close = (a, b, what) =>
              assert.ok(
                Math.abs(a - b) < 2e-6 * (1 + Math.log(n)),
                `${what} of ${layer}, ${head} at ${at}: ${a}, not ${b}`,
              );
            close(heads.entropy[x], entropy, 'entropy');
            close(heads.kl[x], Math.log(n) - entropy, 'kl');
            assert.equal(heads.effectiveKeys[x], Math.fround(Math.exp(heads.entropy[x])));
            close(heads.maxWeight[x], Math.max(...weights), 'largest weight');
            assert.equal(weights[heads.argmax[x]], Math.max(...weights), 'where it is');
            close(heads.firstWeight[x], weights[0], 'weight of the first position');
            close(
              weights.reduce((a, b) => a + b),
              1,
              'sum',
            );
          }
        }
        loaded.dispose();
      }
    });

    test('observing changes no bit, and chosen heads are those asked for', async () => {
      const a = await loadModel(asSafetensors(model), { engine });
      const b = await loadModel(asSafetensors(model), { engine });
      for (const token of tokens) {
        const plain = a.step(token);
        const seen = b.step(token, {
          observe: 'weights',
          heads: [
            [2, 1],
            [0, 3],
            [2, 0],
          ],
        });
        assert.equal(plain.heads, undefined);
        sameArray(seen.logits, plain.logits, 'logits');
        assert.deepEqual(
          seen.heads.weights.map(({ layer, head }) => [layer, head]),
          [
            [2, 1],
            [2, 0],
            [0, 3],
          ],
        );
        for (const { layer, head, weights } of seen.heads.weights)
          sameArray(b.row(layer, head, b.cache.length - 1).weights, weights, 'row');
      }
      a.dispose();
      b.dispose();
    });

    test('a row of the past has the bits it had, and looking changes nothing', async () => {
      const loaded = await loadModel(asSafetensors(gemma), { engine });
      const seen = tokens.map((token) => loaded.step(token, { observe: 'weights' }).heads.weights);
      const before = loaded.cache.snapshot();
      for (const position of [0, 1, 7, 15, 29])
        for (const { layer, head, weights } of seen[position])
          sameArray(
            loaded.row(layer, head, position).weights,
            weights,
            `row ${layer}, ${head}, ${position}`,
          );
      sameBits(loaded.cache.snapshot(), before);
      loaded.dispose();
    });

    test('the temperature of a head is that of float64, and moves no other head', async () => {
      const source = tiny(configs['gemma3, softcaps']);
      const loaded = await loadModel(asSafetensors(source), { engine });
      const plain = await loadModel(asSafetensors(source), { engine });
      const set = [
        [0, 1, 0.5],
        [1, 0, 3],
        [1, 2, 0],
        [1, 3, Infinity],
        [4, 2, 0.1],
      ];
      const T = (layer, head) => set.find(([l, h]) => l === layer && h === head)?.[2] ?? 1;
      for (const [layer, head, temperature] of set) loaded.setTemperature(temperature, layer, head);
      assert.equal(loaded.temperature(1, 2), 0);
      const want = forward(source, tokens, { temperature: T });
      const others = plain.prefill(tokens, { observe: 'weights' });
      const { logits, heads } = loaded.prefill(tokens, { observe: 'weights' });
      assert.ok(difference(want.at(-1).logits, logits) < LOGITS * largest(logits), 'logits');
      for (const { layer, head, weights } of heads.weights) {
        const exact = want.at(-1).layers[layer].weights[head];
        assert.ok(
          difference(exact, weights) < LOGITS / Math.min(1, T(layer, head) || 1),
          `weights of ${layer}, ${head}`,
        );
        const x = (layer * 4 + head) * tokens.length + tokens.length - 1;
        assert.ok(
          Math.abs(heads.maxWeight[x] - Math.max(...exact)) < LOGITS * 10,
          `largest weight of ${layer}, ${head}`,
        );
        assert.ok(
          Math.abs(heads.firstWeight[x] - exact[0]) < LOGITS * 10,
          `first weight of ${layer}, ${head}`,
        );
        if (layer === 0 && head !== 1)
          sameArray(
            weights,
            others.heads.weights.find((each) => each.layer === 0 && each.head === head).weights,
            `head ${head}`,
          );
      }
      loaded.setTemperature(1);
      loaded.cache.clear();
      sameArray(loaded.prefill(tokens).logits, others.logits, 'back at 1');
      loaded.dispose();
      plain.dispose();
    });

    test('observations are those that were asked for, and no more', async () => {
      const loaded = await loadModel(asSafetensors(model), { engine });
      const of = (options) => loaded.step(tokens[0], options).heads;
      assert.deepEqual([of(), of({}), of({ observe: 'none' })], [undefined, undefined, undefined]);
      assert.ok(of({ observe: 'stats' }).entropy && !('weights' in of({ observe: 'stats' })));
      assert.deepEqual(of({ observe: 'weights', heads: [] }).weights, []);
      loaded.dispose();
    });

    test('heads that are asked for are read once, before anything runs', async () => {
      const loaded = await loadModel(asSafetensors(model), { engine });
      const want = loaded.prefill(tokens, { observe: 'weights', heads: [[1, 3]] });
      loaded.cache.clear();
      let reads = 0;
      const pair = trapped([1, 3], () => reads++, 99);
      const got = loaded.prefill(tokens, { observe: 'weights', heads: [pair] });
      sameArray(got.heads.weights[0].weights, want.heads.weights[0].weights, 'the row');
      assert.deepEqual([got.heads.weights[0].layer, got.heads.weights[0].head, reads], [1, 3, 2]);
      loaded.dispose();
    });
  });
