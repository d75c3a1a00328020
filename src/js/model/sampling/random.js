/**
 * xoshiro128** (Blackman and Vigna 2018), seeded by splitmix32: 32-bit integer arithmetic alone,
 * the same in every engine.
 */
export class Random {
  #state = new Uint32Array(4);

  /** @param {number} seed an integer from 0 to 2^53 − 1 */
  constructor(seed) {
    // both halves go through the same mixing, one after the other, so that seeds above 2^32 count
    // in full
    let a = (seed >>> 0) ^ mix(Math.floor(seed / 2 ** 32));
    for (let i = 0; i < 4; i++) this.#state[i] = mix((a = (a + 0x9e3779b9) | 0));
    if (!this.#state.some((word) => word)) this.#state[0] = 1;
  }

  /** 32 random bits. */
  next() {
    const s = this.#state;
    const product = Math.imul(s[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** Uniform in [0, 1), all 53 bits. */
  uniform() {
    return ((this.next() >>> 5) * 67108864 + (this.next() >>> 6)) / 9007199254740992;
  }

  save() {
    return this.#state.slice();
  }

  /** @param {Uint32Array} state */
  restore(state) {
    this.#state.set(state);
  }
}

/** @param {number} x */
function mix(x) {
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
