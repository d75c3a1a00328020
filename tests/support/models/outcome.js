/** A tiny model that is damaged, and its outcome: a typed error or a model that computes. */
import assert from 'node:assert/strict';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { asGguf, asSafetensors, configs, tiny } from './random-models.js';

export const engine = await init({ variant: 'simd', layers: true });
export const small = {
  ...configs['qwen3, untied'],
  num_hidden_layers: 1,
  hidden_size: 8,
  num_attention_heads: 2,
  intermediate_size: 6,
  vocab_size: 60,
};
export const gguf = asGguf(tiny(small));
export const { weights, config } = asSafetensors(tiny(small));

/** Where the next block of memory would lie. */
export const memoryTop = () => {
  const tensor = engine.tensor([1]);
  const at = tensor.data.byteOffset;
  tensor.dispose();
  return at;
};

/** Loads and uses it; says which error came, or that none did. */
export async function outcome(source) {
  let model;
  try {
    model = await loadModel(source, { engine });
    const { logits, heads } = model.prefill([1, 2, 3], { observe: 'stats' });
    assert.equal(logits.length, 60);
    assert.equal(heads.n.length, 6);
    for await (const { token } of model.generate([4, 5], { maxTokens: 2 }))
      assert.ok(token >= 0 && token < 60);
    return 'works';
  } catch (error) {
    assert.equal(error.name, 'ClearheadError', `${error.stack}`);
    assert.notEqual(error.code, 'TRAPPED', error.message);
    return error.code;
  } finally {
    model?.dispose();
  }
}
