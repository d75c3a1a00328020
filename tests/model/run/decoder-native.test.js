/**
 * The decoder's C, built natively: under ASan and UBSan, which watch every access, and under gcc,
 * with the bits of the simd module; and in a long run under MSan. `scripts/build.sh native` builds
 * the programs.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { STATISTICS } from '../../../src/js/attention/statistics.js';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { repeats } from '../../support/campaign.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { Answer, Stream } from '../../support/stream.js';

const engine = await init({ variant: 'simd', layers: true });
const chunks = [5, 1, 17, 1];
const tokens = Array.from({ length: 24 }, (_, x) => (x * x * 5 + 3 * x + 1) % 64);
const PLANES = [...STATISTICS, 'firstWeight'];

/** The model as run_decoder.c reads it. */
function streamOf({ config: c, tensors }, q8, temperature, cacheType) {
  const gemma = c.model_type === 'gemma3_text';
  const heads = c.num_attention_heads;
  const d = c.head_dim ?? c.hidden_size / heads;
  const layers = c.num_hidden_layers;
  const flags = [
    gemma ? 2 : 0,
    c.model_type === 'qwen2',
    gemma || c.model_type === 'qwen3',
    gemma,
    c.tie_word_embeddings,
    false,
    gemma ? c.sliding_window_pattern : 0,
    c.sliding_window ?? 0,
    ['f32', 'f16', 'q8'].indexOf(cacheType),
  ];
  const stream = new Stream().int(
    layers,
    c.hidden_size,
    heads,
    c.num_key_value_heads,
    d,
    c.intermediate_size,
    c.vocab_size,
    c.max_position_embeddings,
    Number(q8),
    ...flags.map(Number),
    chunks.length,
  );
  stream.array(Int32Array.from(chunks)).array(Int32Array.from(tokens));
  stream.array(
    Float64Array.from([
      c.rms_norm_eps,
      (gemma ? c.query_pre_attn_scalar : d) ** -0.5,
      c.attn_logit_softcapping ?? 0,
      c.final_logit_softcapping ?? 0,
      gemma ? Math.fround(Math.sqrt(c.hidden_size)) : 1,
      c.rope_theta,
      c.rope_local_base_freq ?? c.rope_theta,
      ...Array.from({ length: layers * heads }, (_, x) =>
        temperature(Math.floor(x / heads), x % heads),
      ),
    ]),
  );
  // Gemma's norms are stored as 1 less
  const give = (name) =>
    stream.array(
      tensors[name] && gemma && /norm/.test(name)
        ? tensors[name].data.map((w) => 1 + w)
        : tensors[name].data,
    );
  const weight = (name) => tensors[`${name}.weight`] && give(`${name}.weight`);
  weight('model.embed_tokens');
  weight('lm_head');
  weight('model.norm');
  for (let layer = 0; layer < layers; layer++) {
    const at = `model.layers.${layer}`;
    const attention = `${at}.self_attn`;
    weight(`${at}.input_layernorm`);
    for (const x of 'qkv') weight(`${attention}.${x}_proj`);
    for (const x of 'qkv')
      if (tensors[`${attention}.${x}_proj.bias`]) give(`${attention}.${x}_proj.bias`);
    for (const x of 'qk') weight(`${attention}.${x}_norm`);
    weight(`${attention}.o_proj`);
    if (gemma) weight(`${at}.post_attention_layernorm`);
    weight(`${at}.${gemma ? 'pre_feedforward' : 'post_attention'}_layernorm`);
    for (const x of ['gate', 'up', 'down']) weight(`${at}.mlp.${x}_proj`);
    if (gemma) weight(`${at}.post_feedforward_layernorm`);
  }
  return stream.bytes();
}

for (const program of repeats(['asan', 'gcc'], ['asan', 'msan', 'gcc']))
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
      const { status, stdout, stderr } = spawnSync(file, {
        input: streamOf(source, q8, temperature, cacheType),
        maxBuffer: 2 ** 28,
        env: { ASAN_OPTIONS: 'detect_leaks=0' },
      });
      assert.deepEqual([status, String(stderr)], [0, '']);
      const model = await loadModel(asSafetensors(source), {
        engine,
        quantize: q8 ? 'q8' : 'none',
        cacheType,
      });
      const { layers, heads, headDim, vocab } = model.config;
      const answer = new Answer(stdout);
      for (let layer = 0; layer < layers; layer++)
        for (let head = 0; head < heads; head++)
          model.setTemperature(temperature(layer, head), layer, head);
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
      model.dispose();
    });
  }
