/** The types of gradients. */
import type { AttentionOptions, FloatArray, Fresh, Output, Tensor } from '../attention/types.d.ts';

/** Gradients beside those of q, k and v. */
export interface WantGradient {
  /** (n), of `keyScale`. */
  dKeyScale?: boolean | undefined;
  /** (heads), of `sinks`. */
  dSinks?: boolean | undefined;
  /**
   * Of a float `mask`, in the mask's shape. A number that is repeated along an axis gets the sum.
   * It is 0 where the mask is −Infinity.
   */
  dBias?: boolean | undefined;
  /** Of `scale`. */
  dScale?: boolean | undefined;
  /** Of `temperature`. */
  dTemperature?: boolean | undefined;
}

/** Where dq, dk and dv are written, instead of new arrays; no two may overlap, nor any input. */
export interface GradientOut<A extends FloatArray = FloatArray> {
  dq?: A | Tensor<A> | undefined;
  dk?: A | Tensor<A> | undefined;
  dv?: A | Tensor<A> | undefined;
}

export interface AttentionGradientOptions<A extends FloatArray = FloatArray> extends Omit<
  AttentionOptions<A>,
  'out' | 'want'
> {
  /** Of the call with these options. With both, the gradient need not compute them again. */
  output?: A | Tensor<A> | undefined;
  /** (batch, heads, m), of the same call: `want: { lse: true }`. */
  lse?: A | Tensor<A> | undefined;
  out?: GradientOut<A> | undefined;
  want?: WantGradient | undefined;
}

/**
 * The gradients of L = Σ ⟨dOutput, output⟩, each in the shape of its own argument, that is ∂L/∂q
 * and so on. A result that `out` names is written there.
 */
export interface AttentionGradient<
  A extends FloatArray = FloatArray,
  O extends GradientOut<A> = GradientOut<A>,
> {
  dq: Output<A, O['dq']>;
  dk: Output<A, O['dk']>;
  dv: Output<A, O['dv']>;
  dKeyScale?: Fresh<A>;
  dSinks?: Fresh<A>;
  dBias?: Fresh<A>;
  dScale?: number;
  dTemperature?: number;
}

/** The result of a call that wants W. The gradients that W asks for are there. */
export type WantedGradient<
  A extends FloatArray,
  W,
  O extends GradientOut<A> = GradientOut<A>,
> = AttentionGradient<A, O> &
  (W extends { dKeyScale: true } ? { dKeyScale: Fresh<A> } : unknown) &
  (W extends { dSinks: true } ? { dSinks: Fresh<A> } : unknown) &
  (W extends { dBias: true } ? { dBias: Fresh<A> } : unknown) &
  (W extends { dScale: true } ? { dScale: number } : unknown) &
  (W extends { dTemperature: true } ? { dTemperature: number } : unknown);
