/** The numbers of key/value heads that divide the query heads. */

/** From H down to 1. @param {number} H */
export const divisors = (H) =>
  Array.from({ length: H }, (_, i) => H - i).filter((G) => H % G === 0);

/** The largest divisor of H that is not above G. @param {number} H @param {number} G */
export const fittingGroups = (H, G) => divisors(H).find((each) => each <= G) ?? 1;

/** @param {number} H @param {number} G */
export const nameOf = (H, G) => (G === H ? 'MHA' : G === 1 ? 'MQA' : 'GQA');
