/** A small model as a file, for models in workers. */
import { asGguf, configs, tiny } from './random-models.js';

export const source = asGguf(tiny(configs['llama, tied, grouped']));
export const prompt = [1, 5, 9, 30];
export const engine = { variant: 'simd' };
export const all = async (iterator) => {
  const list = [];
  for await (const next of iterator) list.push(next);
  return list;
};
