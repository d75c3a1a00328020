/** The lens and the ledger. docs/inspect.md has the definitions. */
import type { Fresh } from '../../types.d.ts';

// ---- Lens and ledger of a past position

export interface LensOptions {
  /** How many of the likeliest tokens are listed. Default 5. */
  top?: number | undefined;
}

export interface Lens {
  position: number;
  /**
   * Of the last norm and the output matrix on the residual stream behind each layer (layers,
   * vocab). The last row has the bits of the model's own logits.
   */
  logits: Fresh<Float32Array>;
  /** Their softmax (layers, vocab). */
  probabilities: Fresh<Float32Array>;
  /** The likeliest tokens of each layer. */
  top: { token: number; probability: number }[][];
}

export interface LedgerOptions {
  /** Whether the parts of heads are divided by source position. */
  sources?: boolean | undefined;
}

/**
 * A logit, or the difference of two. It is a sum of all that was added to the residual stream, at
 * the last norm's scale:
 *
 *     logit = embedding + Σ heads + Σ feedForward + Σ biases + rest
 *
 * With a softcap c it is the logit before it, c·artanh(logit/c). `rest` is rounding alone; with
 * quantised weights that of the inputs of the output matrix as well, which have 8 bits there.
 */
export interface Ledger {
  position: number;
  /** One, or the two whose difference it is. */
  tokens: number[];
  /** c, or 0 without a softcap. */
  softcap: number;
  /** √(mean x² + ε) of the last norm, which divides the residual stream x by it. */
  scale: number;
  embedding: number;
  /** (layers, heads). A norm behind attention is carried, by its scale at this position. */
  heads: Fresh<Float64Array>;
  /** (layers), without its bias; but with it where a norm follows. */
  feedForward: Fresh<Float64Array>;
  /** (layers): biases of the outputs of attention and feed-forward. */
  biases: Fresh<Float64Array>;
  /** The logit minus the sum. */
  rest: number;
  /** left: the logit; right: the sum. */
  identity: {
    left: number;
    right: number;
    difference: number;
    allowed: number;
    holds: boolean;
  };
  /** With `sources` (layers, heads, position + 1), which sum up to `heads` but for rounding. */
  sources?: Fresh<Float64Array>;
}
