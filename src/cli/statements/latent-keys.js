/** Statement 14: latent keys give the same output expanded and absorbed. */
import { compare, exact } from '../lab.js';
import { HEADS, MODEL, U32 } from './layer-data.js';
import {
  DIM,
  KEPT,
  QUERY_LATENT,
  SHAPE,
  VALUE,
  layerData,
  textbookHeads,
  textbookOutputs,
} from './latent-textbook.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Lab['ch']} Engine
 * @typedef {import('../lab.js').Element} Element
 * @typedef {import('./latent-textbook.js').LayerData} LayerData
 */

/**
 * The outputs of a layer in both forms and position by position over a cache, and bytes of a
 * position.
 * @param {Engine} ch
 * @param {LayerData} data
 */
function layerOutputs(ch, { m, x, q, kvA, kvB, o, table }) {
  const layer = ch.latent({ q, kvA, kvB, o }, { ...SHAPE, rope: table });
  const output = (/** @type {'expanded' | 'absorbed'} */ form) =>
    layer.forward(x, { causal: true, form }).output;
  const expanded = output('expanded');
  const absorbed = output('absorbed');
  const cache = layer.cache({ capacity: m });
  const step = (/** @type {number} */ i) => [
    ...layer.forward(x.subarray(i * MODEL, (i + 1) * MODEL), { causal: true, cache }).output,
  ];
  const steps = Float32Array.from(Array.from({ length: m }, (_, i) => step(i)).flat());
  const { latent, multiHead } = layer.bytesPerPosition;
  const bytes = [cache.bytes / m, latent, multiHead];
  cache.dispose();
  layer.dispose();
  return { expanded, absorbed, steps, bytes };
}

/**
 * The outputs with compressed queries: behind a norm that scales by powers of two, and with W_Q
 * scaled by them.
 * @param {Engine} ch
 * @param {LayerData} data
 */
function compressedOutputs(ch, { x, qA, qB, kvA, kvB, o, table }) {
  const output = (/** @type {Float32Array} */ qANorm, /** @type {Float32Array} */ up) => {
    const layer = ch.latent(
      { qA, qANorm, qB: up, kvA, kvB, o },
      { ...SHAPE, queryLatent: QUERY_LATENT, rope: table },
    );
    const result = layer.forward(x, { causal: true }).output;
    layer.dispose();
    return result;
  };
  const powers = Float32Array.from({ length: QUERY_LATENT }, (_, j) => 2 ** ((j % 5) - 2));
  return {
    byNorm: output(powers, qB),
    byWeights: output(
      new Float32Array(QUERY_LATENT).fill(1),
      qB.map((y, at) => y * powers[at % QUERY_LATENT]),
    ),
  };
}

/**
 * The differences of both forms from their loops, and from each other.
 * @param {LayerData} data
 * @param {{ expanded: Float32Array, absorbed: Float32Array }} outputs
 */
function differences(data, { expanded, absorbed }) {
  const heads = textbookHeads(data);
  const ofExpanded = /** @type {Element[]} */ ([]);
  const ofAbsorbed = /** @type {Element[]} */ ([]);
  const between = /** @type {Element[]} */ ([]);
  for (let i = 0; i < data.m; i++) {
    const book = textbookOutputs(i, heads, data.o);
    for (let c = 0; c < MODEL; c++) {
      const [a, b] = [expanded[i * MODEL + c], absorbed[i * MODEL + c]];
      const [sizeA, sizeB] = [U32 * book.expanded.s[c], U32 * book.absorbed.s[c]];
      ofExpanded.push([a, book.expanded.y[c], sizeA, book.ofExpanded]);
      ofAbsorbed.push([b, book.absorbed.y[c], sizeB, book.ofAbsorbed]);
      between.push([a, b, sizeB, book.ofExpanded + book.ofAbsorbed]);
    }
  }
  return { ofExpanded, ofAbsorbed, between };
}

/** @type {Comparison} */
export const latentKeys = {
  number: 14,
  shows: 0,
  run({ ch, m, seed }) {
    const data = layerData(m, seed);
    const { steps, bytes, ...outputs } = layerOutputs(ch, data);
    const { byNorm, byWeights } = compressedOutputs(ch, data);
    const { ofExpanded, ofAbsorbed, between } = differences(data, outputs);
    const expectedBytes = [4 * KEPT, 4 * KEPT, 4 * HEADS * (DIM + VALUE)];
    return [
      compare('expanded = absorbed', between),
      compare('expanded = textbook loops over keys W_UK·c', ofExpanded),
      compare('absorbed = textbook loops over latents c', ofAbsorbed),
      exact('W_Q behind a norm scaled by 2ⁿ = W_Q scaled, bit for bit', byNorm, byWeights),
      exact('position by position over a cache = at once, bit for bit', steps, outputs.absorbed),
      exact('a cache keeps r + d_R numbers of a position, not H·(d + dv)', bytes, expectedBytes),
    ];
  },
};
