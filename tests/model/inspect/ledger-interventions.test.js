/** Vectors that interventions put into the residual stream are a part of the ledger. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const TOKENS = tokensOf(41, 14, 64);
const OTHERS = tokensOf(42, 14, 64);
const AT = 11;
const STREAM = ['resid_pre', 'attn_out', 'resid_mid', 'mlp_out', 'resid_post'];
const sum = (list) => list.reduce((a, b) => a + b, 0);
const dot = (a, b) => sum(a.map((x, c) => x * b[c]));

/** The direction of a logit in the stream, of the weights of a file, in float64. */
function directionOf({ config, tensors }, token, last) {
  const dim = config.hidden_size;
  const isGemma = config.model_type === 'gemma3_text';
  const output =
    tensors[config.tie_word_embeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'];
  const scale = Math.sqrt(dot(last, last) / dim + config.rms_norm_eps);
  return Float64Array.from(
    { length: dim },
    (_, c) =>
      (output.data[token * dim + c] * (tensors['model.norm.weight'].data[c] + +isGemma)) / scale,
  );
}

/** A model, its ledger under a list, and its records of a text under a list. */
async function opened(name, engine, quantize = 'none') {
  const source = tiny(configs[name]);
  const model = await loadModel(asSafetensors(source), { engine, quantize });
  const ledger = async (list, token = 7) => {
    model.intervene(list);
    model.cache.clear();
    model.prefill(TOKENS);
    return model.ledger(AT, token);
  };
  const trace = (tokens, list = []) => {
    model.intervene(list);
    return model.trace(tokens, { record: STREAM });
  };
  return { source, model, ledger, trace };
}

/** The numbers of a trace at one layer and position. */
const rowOf = (trace, point, layer, position, dim) => {
  const at = (layer * trace.tokens.length + position) * dim;
  return Float64Array.from(trace[point].subarray(at, at + dim));
};

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const name of ['llama, biases everywhere', 'gemma3, softcaps']) {
      test(`${name}: an added vector has the product with the direction of the logit`, async () => {
        const { source, model, ledger, trace } = await opened(name, engine);
        const { modelDim: dim, layers } = model.config;
        const add = Float32Array.from({ length: dim }, (_, c) => Math.sin(c));
        for (const at of STREAM)
          for (const layer of [0, 1]) {
            const list = [{ layer, add, at, gain: 0.25, positions: [3, AT] }];
            const { interventions, identity, rest } = await ledger(list);
            const then = await trace(TOKENS.slice(0, AT + 1), list);
            const u = directionOf(source, 7, rowOf(then, 'resid_post', layers - 1, AT, dim));
            const want = Array.from({ length: layers }, (_, l) =>
              l === layer ? 0.25 * dot(u, add) : 0,
            );
            const what = `${at} of layer ${layer}: ${interventions}`;
            assert.ok(difference(interventions, want) <= LOGITS * largest(want), what);
            assert.ok(identity.holds && Math.abs(want[layer]) > 100 * Math.abs(rest), what);
          }
        model.dispose();
      });

      test(`${name}: a patch has its difference to the numbers before`, async () => {
        const { source, model, ledger, trace } = await opened(name, engine);
        const { modelDim: dim, layers } = model.config;
        const from = await trace(OTHERS);
        const before = await trace(TOKENS.slice(0, AT + 1));
        const plain = await ledger([]);
        assert.deepEqual([...plain.interventions], Array(layers).fill(0));
        for (const patch of STREAM) {
          const list = [{ layer: 1, patch, from, positions: [AT] }];
          const got = await ledger(list);
          const then = await trace(TOKENS.slice(0, AT + 1), list);
          const u = directionOf(source, 7, rowOf(then, 'resid_post', layers - 1, AT, dim));
          const put = rowOf(from, patch, 1, AT, dim);
          const change = put.map((x, c) => x - rowOf(before, patch, 1, AT, dim)[c]);
          // a patch of mlp_out stands for the feed-forward
          const want = patch === 'mlp_out' ? 0 : dot(u, change);
          const size = largest([got.embedding, ...got.heads, ...got.feedForward, dot(u, put)]);
          const what = `${patch}: ${got.interventions}, not ${want}`;
          assert.ok(Math.abs(got.interventions[1] - want) <= LOGITS * size, what);
          assert.ok(got.identity.holds, what);
        }
        const first = await ledger([{ layer: 0, patch: 'resid_pre', from }]);
        assert.deepEqual([...first.interventions], Array(layers).fill(0));
        assert.ok(Math.abs(first.embedding - plain.embedding) > 0.01);
        model.dispose();
      });
    }

    for (const quantize of ['none', 'q8'])
      test(`many changes at once leave nothing over but roundings (${quantize})`, async () => {
        const name = 'llama, untied, heads of its own';
        const { model, ledger, trace } = await opened(name, engine, quantize);
        const { modelDim: dim, layers } = model.config;
        const runs = [await trace(OTHERS), await trace(tokensOf(43, 14, 64))];
        const adds = STREAM.flatMap((at, x) =>
          Array.from({ length: layers }, (_, layer) => ({
            ...{ layer, at, gain: x - 2.5 },
            add: Array.from({ length: dim }, (__, c) => Math.cos(c * (x + 1) + layer)),
          })),
        );
        const patches = STREAM.map((patch, x) => ({
          ...{ layer: x % layers, patch },
          from: runs[x % 2],
        }));
        for (const list of [adds, patches, [...adds, ...patches], [...patches, ...adds]]) {
          const { identity, rest, interventions, ...parts } = await ledger(list, [7, 9]);
          const { embedding, heads, feedForward, biases, rounding } = parts;
          assert.ok(identity.holds, JSON.stringify(identity));
          const all = [embedding, ...heads, ...feedForward, ...biases, ...interventions, rounding];
          assert.ok(Math.abs(sum(all) + rest - identity.left) <= 1e-12 * largest(all));
          assert.ok(identity.allowed < 2e-3 * largest(all), `${identity.allowed}`);
          assert.ok(largest(interventions) > 10 * identity.allowed);
        }
        model.dispose();
      });

    test('other positions have none, and each token of a text its own', async () => {
      const { model, ledger } = await opened('gemma3', engine);
      const { modelDim: dim } = model.config;
      const add = Array.from({ length: dim }, (_, c) => Math.cos(c));
      const aside = await ledger([{ layer: 1, add, positions: [AT - 1, AT + 1] }]);
      assert.deepEqual(sum(aside.interventions.map(Math.abs)), 0);
      assert.ok(aside.identity.holds);
      model.intervene([{ layer: 1, add, at: 'resid_post' }]);
      model.cache.clear();
      for await (const next of model.generate(TOKENS, { maxTokens: 4, ledger: true })) {
        assert.ok(next.ledger.interventions[1] !== 0 && next.ledger.identity.holds);
        assert.deepEqual(next.ledger, await model.ledger(next.ledger.position, next.token));
      }
      model.dispose();
    });
  });
