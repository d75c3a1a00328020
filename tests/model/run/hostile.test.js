/** Damaged weights give a typed error or a model that computes, and lose no memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import {
  config,
  engine,
  gguf,
  memoryTop,
  outcome,
  small,
  weights,
} from '../../support/models/outcome.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { repeats } from '../../support/campaign.js';
import { random } from '../../support/random.js';
import { inChunks } from '../../support/streams.js';

/** The largest step between two places where a file is cut off, and how many bits are flipped. */
const STEP = repeats(80, 5);
const FLIPS = repeats(300, 6000);

for (const [name, bytes, wrap] of [
  ['GGUF', gguf, (x) => x],
  ['safetensors', weights, (x) => ({ weights: x, config })],
]) {
  test(`${name}: cut off anywhere it is an error`, async () => {
    await outcome(wrap(bytes));
    const before = memoryTop();
    const r = random(1);
    for (let cut = 0; cut < bytes.length; cut += r.integer(1, STEP))
      assert.notEqual(await outcome(wrap(bytes.slice(0, cut))), 'works', `${cut} bytes`);
    assert.equal(memoryTop(), before, 'all memory is given back');
  });

  test(`${name}: with any bit flipped it is an error or a model`, async (t) => {
    const before = memoryTop();
    const r = random(2);
    const counts = {};
    for (let x = 0; x < FLIPS; x++) {
      const at =
        x % 3 ? r.integer(0, Math.min(bytes.length, 4000) - 1) : r.integer(0, bytes.length - 1);
      const damaged = bytes.slice();
      damaged[at] ^= 1 << r.integer(0, 7);
      const result = await outcome(wrap(damaged));
      counts[result] = (counts[result] ?? 0) + 1;
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.works > 10 && counts.FORMAT > 10, 'both kinds were seen');
    assert.equal(memoryTop(), before, 'all memory is given back');
  });
}

test('NaN gives NaN, or a typed error when a token is chosen from it', async () => {
  const source = tiny(small);
  source.tensors['model.layers.0.mlp.down_proj.weight'].data[3] = NaN;
  const model = await loadModel(asSafetensors(source), { engine });
  assert.ok(model.prefill([1, 2]).logits.some(Number.isNaN));
  await assert.rejects(model.generate([1, 2]).next(), { name: 'ClearheadError', code: 'RANGE' });
  assert.equal(model.prefill([1]).logits.length, 60);
  model.dispose();
});

test('memory grows with bytes that arrive, not with those that a header announces', async () => {
  const config = {
    model_type: 'llama',
    hidden_size: 1024,
    intermediate_size: 8192,
    num_hidden_layers: 8,
    num_attention_heads: 8,
    vocab_size: 1024,
    tie_word_embeddings: true,
  };
  const layer = [
    'input_layernorm',
    [1024],
    ...['q', 'k', 'v', 'o'].flatMap((x) => [`self_attn.${x}_proj`, [1024, 1024]]),
    'post_attention_layernorm',
    [1024],
    'mlp.gate_proj',
    [8192, 1024],
    'mlp.up_proj',
    [8192, 1024],
    'mlp.down_proj',
    [1024, 8192],
  ];
  const shapes = [
    ['model.embed_tokens', [1024, 1024]],
    ['model.norm', [1024]],
  ];
  for (let at = 0; at < 8; at++)
    for (let i = 0; i < layer.length; i += 2)
      shapes.push([`model.layers.${at}.${layer[i]}`, layer[i + 1]]);
  let end = 0;
  const header = JSON.stringify(
    Object.fromEntries(
      shapes.map(([name, shape]) => [
        `${name}.weight`,
        { dtype: 'F32', shape, data_offsets: [end, (end += shape.reduce((a, b) => a * b) * 4)] },
      ]),
    ),
  );
  const begun = new Uint8Array(8 + header.length + 2 ** 20);
  const own = await init({ variant: 'simd', layers: true });
  const size = () => own.tensor([1]).data.buffer.byteLength;
  new DataView(begun.buffer).setBigUint64(0, BigInt(header.length), true);
  begun.set(new TextEncoder().encode(header), 8);
  const before = size();
  const weights = () =>
    inChunks(begun, 2 ** 16, { 'content-length': String(8 + header.length + end) });
  assert.ok(end > 2 ** 29, 'of 900 MB, 1 MB comes');
  await assert.rejects(loadModel({ weights: weights(), config }, { engine: own }), {
    code: 'INTEGRITY',
  });
  assert.ok(size() - before < 2 ** 23, `${size() - before} bytes more`);
});

test('a whole file takes little more memory than it has bytes', async () => {
  const model = tiny({
    ...configs['llama, tied, grouped'],
    num_hidden_layers: 4,
    hidden_size: 256,
    intermediate_size: 4096,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    vocab_size: 512,
  });
  const source = asSafetensors(model);
  const own = await init({ variant: 'simd', layers: true });
  const size = () => own.tensor([1]).data.buffer.byteLength;
  const before = size();
  const loaded = await loadModel(source, { engine: own, context: 8 });
  assert.ok(source.weights.length > 2 ** 25);
  assert.ok(
    size() - before < source.weights.length * 1.02 + 2 ** 22,
    `${size() - before} of ${source.weights.length}`,
  );
  loaded.dispose();
});
