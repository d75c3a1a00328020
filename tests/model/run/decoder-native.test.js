/**
 * The decoder's C, built natively: under ASan and UBSan, which watch every access, under TSan, and
 * under gcc, with the bits of the simd module; and in a long run under MSan.
 * `scripts/build.sh native` builds the programs.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { STATISTICS } from '../../../src/js/attention/statistics.js';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { Interventions } from '../../../src/js/model/inside/interventions.js';
import { sameArray } from '../../support/bits.js';
import { repeats } from '../../support/campaign.js';
import {
  changesOf,
  chunks,
  giveChanges,
  modelStream,
  numbers,
  promptOf,
  tokens,
} from '../../support/models/decoder-stream.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { Answer } from '../../support/stream.js';

const engine = await init({ variant: 'simd', layers: true });
const PLANES = [...STATISTICS, 'firstWeight'];

const RECORDED = ['resid_pre', 'z', 'attn_out', 'resid_mid', 'mlp_out', 'resid_post'];
/** Tokens of a pass with changes. Threads share the steps of the longer one. */
const SHORT = 24;
const SHARED = 540;

/** The prompt, chunk by chunk, has the bits of the model, and so has a query. */
function compareChunks(answer, model) {
  const { layers, heads, headDim, vocab } = model.config;
  let length = 0;
  for (const t of chunks) {
    const got = model.prefill(tokens.slice(length, (length += t)), {
      observe: 'weights',
      heads: Array.from({ length: heads }, (_, head) => [layers - 1, head]),
    });
    sameArray(answer.nextArray(Float32Array, vocab), got.logits, `logits after ${length}`);
    for (const statistic of PLANES)
      sameArray(
        answer.nextArray(got.heads[statistic].constructor, layers * heads * t),
        got.heads[statistic],
        `${statistic} after ${length}`,
      );
    for (const { head, weights } of got.heads.weights)
      sameArray(
        answer.nextArray(Float32Array, length),
        weights,
        `weights of ${head} after ${length}`,
      );
  }
  const queries = answer.nextArray(Float32Array, heads * headDim);
  for (let head = 0; head < heads; head++)
    sameArray(
      queries.slice(head * headDim, (head + 1) * headDim),
      model.row(layers - 1, head, 1).q,
      `query of ${head}`,
    );
}

/** The pass with changes is that of the model. Returns the attn_out of the last token. */
async function compareChanges(answer, model, list, n) {
  const { layers, heads, modelDim } = model.config;
  const ids = promptOf(n);
  model.intervene([...model.interventions, ...list]);
  model.cache.clear();
  const spans = [
    [0, 3],
    [3, n - 1],
    [n - 1, n],
  ];
  const { logits, heads: observed } = model.prefill(ids, { observe: { spans } });
  const trace = await model.trace(ids, { record: [...RECORDED, 'pattern'] });
  sameArray(answer.nextArray(Float32Array, logits.length), logits, 'changed logits');
  for (const name of [...RECORDED, 'pattern'])
    sameArray(answer.nextArray(Float32Array, trace[name].length), trace[name], name);
  const sums = answer.nextArray(Float32Array, layers * heads * n * spans.length);
  sameArray(sums, observed.spans, 'sums over spans');
  return Array.from({ length: layers }, (_, layer) => {
    const end = (layer + 1) * n * modelDim;
    return trace.attn_out.subarray(end - modelDim, end);
  });
}

/** The parts of heads sum up to ⟨u, W_o z⟩, of which attn_out is the norm where there is one. */
function compareParts(answer, { config, tensors }, { layers, heads }, u, out) {
  const parts = answer.nextArray(Float64Array, layers * heads);
  const squares = answer.nextArray(Float64Array, layers);
  for (let layer = 0; layer < layers; layer++) {
    const name = `model.layers.${layer}.post_attention_layernorm.weight`;
    const norm = config.model_type === 'gemma3_text' && tensors[name].data;
    const scale = Math.sqrt(squares[layer] + config.rms_norm_eps);
    const terms = Array.from(out[layer], (x, c) => u[c] * (norm ? (x * scale) / (1 + norm[c]) : x));
    const sum = parts.subarray(layer * heads, (layer + 1) * heads).reduce((a, b) => a + b);
    const size = terms.reduce((a, b) => a + Math.abs(b), 0);
    const error = Math.abs(sum - terms.reduce((a, b) => a + b)) / size;
    assert.ok(error < 1e-5, `layer ${layer}: the parts are off by ${error}`);
  }
}

for (const program of repeats(['asan', 'tsan', 'gcc'], ['asan', 'tsan', 'msan', 'gcc']))
  for (const [name, q8, temperature, cacheType = 'f32', context] of [
    ['llama, untied, heads of its own', false, () => 1],
    ['llama, tied, grouped', true, () => 1],
    ['qwen2', false, () => 1],
    ['qwen3, wide heads', false, (layer, head) => [1, 0.5, 0, Infinity][(layer + head) % 4]],
    ['gemma3, softcaps', true, (layer) => (layer === 2 ? 0.7 : 1)],
    ['qwen3, untied', false, () => 1, 'f16'],
    ['gemma3', true, () => 1, 'q8'],
    ['llama, tied, grouped', false, () => 1, 'f32', 2000],
  ]) {
    // only there threads share steps
    if (program === 'tsan' && !context) continue;
    const how = [q8 && 'quantised', cacheType, context, `native_decoder_${program}`]
      .filter(Boolean)
      .join(', ');
    test(`${name}: ${how} has the bits of the simd module`, async () => {
      const file = fileURLToPath(
        new URL(`../../../build/native/native_decoder_${program}`, import.meta.url),
      );
      assert.ok(existsSync(file), `${file} is missing: scripts/build.sh native`);
      const source = tiny({
        ...configs[name],
        intermediate_size: 64,
        ...(context && { max_position_embeddings: context }),
      });
      const model = await loadModel(asSafetensors(source), {
        engine,
        quantize: q8 ? 'q8' : 'none',
        cacheType,
      });
      const { layers, heads, headDim } = model.config;
      const n = context ? SHARED : SHORT;
      const changes = changesOf(model.config, n);
      const u = numbers(4, model.config.modelDim);
      const stream = modelStream(source, q8, temperature, cacheType);
      giveChanges(stream, Interventions.read(changes, model.config), n, u);
      const { status, stdout, stderr } = spawnSync(file, {
        input: stream.bytes(),
        maxBuffer: 2 ** 28,
        env: { ASAN_OPTIONS: 'detect_leaks=0' },
      });
      assert.deepEqual([status, String(stderr)], [0, '']);
      const answer = new Answer(stdout);
      for (let layer = 0; layer < layers; layer++)
        for (let head = 0; head < heads; head++)
          model.setTemperature(temperature(layer, head), layer, head);
      compareChunks(answer, model);
      const out = await compareChanges(answer, model, changes, n);
      // heads that share a block of 32 columns are rounded otherwise by themselves
      if (!q8 || headDim % 32 === 0) compareParts(answer, source, model.config, u, out);
      model.dispose();
    });
  }
