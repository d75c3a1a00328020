/** Random tokens, and how far logits may be from those of float64. */
import { random } from '../random.js';

export const tokensOf = (seed, count, vocab) => {
  const r = random(seed);
  return Array.from({ length: count }, () => r.integer(0, vocab - 1));
};
export const largest = (list) => list.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
export const difference = (a, b) => a.reduce((max, x, at) => Math.max(max, Math.abs(x - b[at])), 0);

/** With its own attention scale and softcap GGUF cannot say it. */
export const inGguf = (config) => !config.attn_logit_softcapping;

/**
 * float32 rounding in a few layers of random weights; the attention's logits reach 30 here, which
 * multiplies the error of their terms. Measured: up to 3e-6.
 */
export const LOGITS = 1e-5;
