/** Random operations and layers, written to a stream, with the results of the simd module. */
import { random } from '../random.js';
import { engines } from '../models/engines.js';

const { ch } = engines[0];

const numbers = (r, length) => Float32Array.from({ length }, () => r.normal());
/** The results to compare native ones with, in order. @type {{ name: string, want: any }[]} */
let expected = [];
const expect = (name, want) => expected.push({ name, want: want.slice() });
export const kinds = ['matmul', 'norms', 'activations', 'rope', 'multiHead', 'latent'];
const begin = (stream, kind, seed) => stream.tag('L').int(kinds.indexOf(kind), seed & 1);
const table = (stream, rope, positions) =>
  rope
    ? stream.int(1, rope.dim, Number(rope.interleaved), positions).array(rope.cos).array(rope.sin)
    : stream.int(0);

const makers = {
  matmul(stream, r, seed) {
    const [m, rows, k] =
      seed < 5
        ? [
            [1, 1, 1],
            [5, 70, 300],
            [1, 33, 40],
            [37, 9, 257],
            [1, 61, 300],
          ][seed]
        : [r.integer(1, 40), r.integer(1, 40), r.integer(1, 80)];
    const x = numbers(r, m * k);
    const w = numbers(r, rows * k);
    const bias = r.chance(0.5) ? numbers(r, rows) : undefined;
    stream.int(m, rows, k).array(x).maybe(w).maybe(bias);
    const layer = ch.linear(w, { inputs: k, bias });
    expect(`${[m, rows, k]}`, layer.forward(x));
    layer.dispose();
  },
  norms(stream, r) {
    const rows = r.integer(1, 4);
    const size = r.integer(1, 21);
    const epsilon = 1e-5;
    const x = numbers(r, rows * size);
    const scale = r.chance(0.7) ? numbers(r, size) : undefined;
    const bias = r.chance(0.5) ? numbers(r, size) : undefined;
    stream.int(rows, size).double(epsilon).array(x).maybe(scale).maybe(bias);
    for (const onePlus of [false, true])
      expect('rms', ch.rmsNorm(x, scale, { size, epsilon, onePlus }));
    const mean = new Float32Array(rows);
    const inverseDeviation = new Float32Array(rows);
    expect('layer', ch.layerNorm(x, scale, bias, { size, epsilon, mean, inverseDeviation }));
    expect('mean', mean);
    expect('inverse', inverseDeviation);
  },
  activations(stream, r) {
    const count = r.integer(1, 30);
    const x = numbers(r, count).map((v) => 10 * v);
    const up = numbers(r, count);
    stream.int(count).array(x).array(up);
    for (const pair of [
      [ch.silu(x), ch.swiglu(x, up)],
      [ch.gelu(x), ch.geglu(x, up)],
      [ch.gelu(x, { approximate: 'tanh' }), ch.geglu(x, up, { approximate: 'tanh' })],
    ])
      for (const y of pair) expect('activation', y);
  },
  rope(stream, r, seed) {
    const scalings = [
      undefined,
      { type: 'linear', factor: 4 },
      { type: 'ntk', factor: 8 },
      { type: 'dynamic', factor: 2, length: 9000, original: 4096 },
      { type: 'llama3', factor: 8, original: 8192 },
      { type: 'yarn', factor: 4, original: 4096 },
    ];
    const m = r.integer(1, 5);
    const heads = r.integer(1, 3);
    const dim = 2 * r.integer(2, 6);
    const headDim = dim + r.integer(0, 3);
    const interleaved = r.chance(0.5);
    const rows = 12;
    const x = numbers(r, m * heads * headDim);
    const positions = Int32Array.from({ length: m }, () => r.integer(0, rows - 1));
    stream
      .int(m, heads, headDim, dim, Number(interleaved), rows, seed % 6)
      .array(x)
      .array(positions);
    const table = ch.ropeTable({ dim, positions: rows, interleaved, scaling: scalings[seed % 6] });
    for (const name of ['frequencies', 'cos', 'sin']) expect(name, table[name]);
    expect('turned', ch.rope(x, table, { headDim, heads, layout: 'bshd', positions }));
  },
  multiHead(stream, r) {
    const kvHeads = r.integer(1, 2);
    const heads = kvHeads * r.integer(1, 3);
    const headDim = r.integer(2, 9);
    const valueDim = r.integer(1, 9);
    const modelDim = r.integer(1, 20);
    const m = r.integer(2, 9);
    const first = r.integer(1, m - 1);
    const residual = r.chance(0.5);
    const rope = r.chance(0.7)
      ? ch.ropeTable({
          dim: 2 * r.integer(1, headDim >> 1),
          positions: m,
          interleaved: r.chance(0.5),
        })
      : undefined;
    const w = {
      q: numbers(r, heads * headDim * modelDim),
      k: numbers(r, kvHeads * headDim * modelDim),
      v: numbers(r, kvHeads * valueDim * modelDim),
      o: numbers(r, heads * valueDim * modelDim),
    };
    if (r.chance(0.5))
      Object.assign(w, {
        qBias: numbers(r, heads * headDim),
        vBias: numbers(r, kvHeads * valueDim),
        oBias: numbers(r, modelDim),
      });
    if (r.chance(0.5)) Object.assign(w, { qNorm: numbers(r, headDim), kNorm: numbers(r, headDim) });
    const x = numbers(r, m * modelDim);
    stream
      .int(modelDim, heads, kvHeads, headDim, valueDim, m, first, Number(residual))
      .maybe(w.q)
      .maybe(w.k)
      .maybe(w.v)
      .maybe(w.o);
    stream
      .maybe(w.qBias)
      .maybe(w.kBias)
      .maybe(w.vBias)
      .maybe(w.oBias)
      .maybe(w.qNorm)
      .maybe(w.kNorm);
    table(stream, rope, m).array(x);
    const layer = ch.multiHead(w, { modelDim, heads, kvHeads, headDim, valueDim, residual, rope });
    const whole = layer.forward(x, { causal: true }).output;
    for (const [from, to] of [
      [0, first],
      [first, m],
      [0, m],
    ])
      expect(`${from} to ${to}`, whole.subarray(from * modelDim, to * modelDim));
    layer.dispose();
  },
  latent(stream, r) {
    const modelDim = r.integer(1, 20);
    const heads = r.integer(1, 3);
    const kvLatent = r.integer(1, 20);
    const queryLatent = r.chance(0.6) ? r.integer(1, 9) : 0;
    const nopeDim = r.integer(1, 9);
    const ropeDim = 2 * r.integer(0, 3);
    const valueDim = r.integer(1, 9);
    const m = r.integer(2, 9);
    const first = r.integer(1, m - 1);
    const residual = r.chance(0.5);
    const rope = ropeDim
      ? ch.ropeTable({ dim: ropeDim, positions: m, interleaved: r.chance(0.5) })
      : undefined;
    const w = {
      kvA: numbers(r, (kvLatent + ropeDim) * modelDim),
      kvB: numbers(r, heads * (nopeDim + valueDim) * kvLatent),
      o: numbers(r, modelDim * heads * valueDim),
      kvANorm: r.chance(0.5) ? numbers(r, kvLatent) : undefined,
    };
    const q = numbers(r, heads * (nopeDim + ropeDim) * (queryLatent || modelDim));
    Object.assign(
      w,
      queryLatent
        ? {
            qB: q,
            qA: numbers(r, queryLatent * modelDim),
            qANorm: r.chance(0.5) ? numbers(r, queryLatent) : undefined,
          }
        : { q },
    );
    const x = numbers(r, m * modelDim);
    stream
      .int(
        modelDim,
        heads,
        kvLatent,
        queryLatent,
        nopeDim,
        ropeDim,
        valueDim,
        m,
        first,
        Number(residual),
      )
      .maybe(w.kvA.subarray(0, kvLatent * modelDim));
    stream
      .maybe(ropeDim ? w.kvA.subarray(kvLatent * modelDim) : undefined)
      .maybe(q)
      .maybe(w.qA)
      .maybe(w.o)
      .array(w.kvB)
      .maybe(w.qANorm)
      .maybe(w.kvANorm);
    table(stream, rope, m).array(x);
    const layer = ch.latent(w, {
      modelDim,
      heads,
      kvLatent,
      queryLatent,
      nopeDim,
      ropeDim,
      valueDim,
      residual,
      rope,
    });
    for (const form of ['expanded', 'absorbed']) {
      const cache = layer.cache({ capacity: m });
      for (const [from, to] of [
        [0, first],
        [first, m],
      ])
        expect(
          `${form}, ${from} to ${to}`,
          layer.forward(x.subarray(from * modelDim, to * modelDim), {
            causal: true,
            scale: 0.25,
            form,
            cache,
          }).output,
        );
      expect(`${form}: latents`, cache.read());
      cache.dispose();
    }
    layer.dispose();
  },
};

/** Writes `count` cases of a kind to the stream, and returns the results they must have. */
export function writeCases(stream, kind, count) {
  expected = [];
  for (let seed = 0; seed < count; seed++)
    makers[kind](begin(stream, kind, seed), random(seed), seed);
  return expected;
}
