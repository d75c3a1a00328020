/** The arguments and results that all statements share. */
import type { FloatArray, Tensor } from '../attention/types.d.ts';

export type Numbers = FloatArray | Tensor<FloatArray>;

/**
 * Two sides of a statement, computed in different ways. Where one would leave the doubles, the call
 * is refused with RANGE.
 */
export interface Identity {
  left: number;
  right: number;
  /** |left − right| */
  difference: number;
  /** The unit of rounding, 2⁻⁵³, at the size of the terms that were added. */
  unit: number;
  /** The largest difference that rounding allows, as derived in the headers. */
  allowed: number;
  /** difference ≤ allowed */
  holds: boolean;
}

export interface RowOptions {
  /** T > 0, default 1. */
  temperature?: number | undefined;
}
