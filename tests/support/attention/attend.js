/** A call of attention, with all results. */

export const all = { weights: true, lse: true, stats: true };

export const attend = (ch, { q, k, v, options }, want = all) =>
  ch.attention(q, k, v, { ...options, want });
