/** Damaged model files all the way through loadModel: a typed error, or a model that computes; never a trap, a hang or lost memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../src/js/index.js';
import { loadModel } from '../src/js/model/index.js';
import { random } from './random.js';
import { asGguf, asSafetensors, configs, tiny } from './random-models.js';

const engine = await init({ variant: 'simd', layers: true });
const small = { ...configs['qwen3, untied'], num_hidden_layers: 1, hidden_size: 8, num_attention_heads: 2, intermediate_size: 6, vocab_size: 60 };
const gguf = asGguf(tiny(small)), { weights, config } = asSafetensors(tiny(small));
/** Where the next block of memory would lie. */
const held = () => {
  const tensor = engine.tensor([1]), at = tensor.data.byteOffset;
  tensor.dispose();
  return at;
};

/** Loads and uses it; says which error came, or that none did. */
async function outcome(source) {
  let model;
  try {
    model = await loadModel(source, { engine });
    const { logits, heads } = model.prefill([1, 2, 3], { observe: 'stats' });
    assert.equal(logits.length, 60);
    assert.equal(heads.n.length, 6);
    for await (const { token } of model.generate([4, 5], { maxTokens: 2 })) assert.ok(token >= 0 && token < 60);
    return 'works';
  } catch (error) {
    assert.equal(error.name, 'ClearheadError', `${error.stack}`);
    assert.notEqual(error.code, 'TRAPPED', error.message);
    return error.code;
  } finally {
    model?.dispose();
  }
}

for (const [name, bytes, wrap] of [['GGUF', gguf, (x) => x], ['safetensors', weights, (x) => ({ weights: x, config })]]) {
  test(`${name}: cut off anywhere it is an error`, async () => {
    await outcome(wrap(bytes));
    const before = held(), r = random(1);
    for (let cut = 0; cut < bytes.length; cut += r.integer(1, 40)) assert.notEqual(await outcome(wrap(bytes.slice(0, cut))), 'works', `${cut} bytes`);
    assert.equal(held(), before, 'all memory is given back');
  });

  test(`${name}: with any bit flipped it is an error or a model`, async (t) => {
    const before = held(), r = random(2), counts = {};
    for (let x = 0; x < 600; x++) {
      const at = x < 400 ? r.integer(0, Math.min(bytes.length, 4000) - 1) : r.integer(0, bytes.length - 1), damaged = bytes.slice();
      damaged[at] ^= 1 << r.integer(0, 7);
      const result = await outcome(wrap(damaged));
      counts[result] = (counts[result] ?? 0) + 1;
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.works > 10 && counts.FORMAT > 10, 'both kinds were seen');
    assert.equal(held(), before, 'all memory is given back');
  });
}

test('numbers that are none give numbers that are none, or a typed error when a token is chosen from them', async () => {
  const source = tiny(small);
  source.tensors['model.layers.0.mlp.down_proj.weight'].data[3] = NaN;
  const model = await loadModel(asSafetensors(source), { engine });
  assert.ok(model.prefill([1, 2]).logits.some(Number.isNaN));
  await assert.rejects(model.generate([1, 2]).next(), { name: 'ClearheadError', code: 'RANGE' });
  assert.equal(model.prefill([1]).logits.length, 60);
  model.dispose();
});
