/** A small model that writes texts, and a slow one. */
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { Model } from '../../../src/js/model/run/model.js';
import { asGguf, asSafetensors, configs, tiny } from './random-models.js';

export const engine = await init({ layers: true, variant: 'simd' });
export const source = asGguf(tiny(configs['llama, tied, grouped']));
export const load = (options) => loadModel(source, { engine, ...options });
export const prompt = [1, 5, 9, 30, 12];
export const all = async (iterator) => {
  const list = [];
  for await (const next of iterator) list.push(next);
  return list;
};
export const ids = (list) => list.map(({ token }) => token);

/** Tells of all tokens that models read from now on. @returns {() => void} ends that */
export const watch = (tell) => {
  const { reading } = Model.prototype;
  Model.prototype.reading = function (tokens, ...how) {
    tell(tokens);
    return reading.call(this, tokens, ...how);
  };
  return () => void (Model.prototype.reading = reading);
};

/**
 * A model that takes long for a token: about 60 million multiply-adds in each of four layers. In
 * half precision, for to write and read it takes longer than all else here.
 */
export const slow = (() => {
  let made;
  const config = {
    ...configs['llama, tied, grouped'],
    num_hidden_layers: 4,
    hidden_size: 1024,
    intermediate_size: 16384,
    num_attention_heads: 16,
    num_key_value_heads: 16,
    vocab_size: 64,
  };
  const make = () => {
    // 1e-4
    const model = tiny({ ...config, intermediate_size: 64 });
    const halves = new Uint8Array(new Uint16Array(1024 * 16384).fill(0x068e).buffer);
    for (const [name, tensor] of Object.entries(model.tensors))
      if (/mlp/.test(name))
        Object.assign(tensor, {
          shape: tensor.shape.map((size) => (size === 64 ? 16384 : size)),
          dtype: 'F16',
          data: halves,
        });
    return asSafetensors({ ...model, config });
  };
  return () => (made ??= make());
})();
