/** A small random model of the shape of the page's own, whose tokens are letters. */
import { asGguf, configs, tiny } from '../models/random-models.js';

export const letters = (seed = 1) =>
  asGguf(
    tiny(
      {
        ...configs['llama, tied, grouped'],
        num_hidden_layers: 4,
        hidden_size: 64,
        num_attention_heads: 8,
        num_key_value_heads: 2,
        max_position_embeddings: 256,
      },
      seed,
    ),
  );

/** Where the page looks for its model, from its own folder. */
export const MODEL_FILE = 'model/stories-Q8_0.gguf';
