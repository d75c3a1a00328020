/**
 * A checksum of all numbers that the kernels of the page give for the inputs of a seed. It runs in
 * a page as in Node, so it names nothing outside itself.
 * @param {string} root the address of the folder `web`
 */
export async function bits(root) {
  const { load } = await import(`${root}page/engine.js`);
  const { headInputs } = await import(`${root}math/data.js`);
  const { attention } = await load();
  const size = { H: 8, G: 4, n: 64, d: 64 };
  const { q, k, v } = headInputs({ seed: 7, kind: 'patterns', ...size });
  const { output, weights, lse, stats } = attention(q, k, v, {
    heads: size.H,
    kvHeads: size.G,
    headDim: size.d,
    causal: true,
    want: { weights: true, lse: true, stats: true },
  });
  return [output, weights, lse, stats.kl, stats.entropy].map(({ buffer, byteOffset, length }) =>
    new Uint32Array(buffer, byteOffset, length).reduce(
      (sum, word) => Math.imul(sum ^ word, 0x01000193) >>> 0,
      0x811c9dc5,
    ),
  );
}
