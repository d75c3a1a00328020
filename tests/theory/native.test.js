/**
 * The statements built natively, under ASan and UBSan and by gcc, in a long run under MSan too.
 * Every call that the binding makes is recorded with its arrays. It is made again in memory of
 * exactly their sizes, and must give the bits of theory.wasm. `scripts/build.sh native` builds the
 * programs.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sameArray } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { TheoryMemory } from '../../src/js/theory/memory.js';
import { theory } from '../../src/js/theory/index.js';
import { distribution, logits, queries } from '../support/theory/states.js';

/** Wasm memory that records calls and their arguments. */
class Recorder extends TheoryMemory {
  blocks = new Map();
  calls = [];

  pushArray(kind, length) {
    const at = super.pushArray(kind, length);
    const bytes = length * (kind === 'float64' ? 8 : 4);
    this.blocks.set(at, { bytes, input: false });
    return at;
  }
  put(x, kind) {
    const at = super.put(x, kind);
    this.blocks.get(at).input = true;
    return at;
  }
  constructor(exports) {
    super(exports);
    this.c = Object.fromEntries(
      Object.entries(this.c).map(([name, f]) => [
        name,
        (...values) => this.record(name.slice('attn_'.length), f, values),
      ]),
    );
  }
  record(name, f, values) {
    const bytes = (at) => Buffer.from(this.view('uint8', at, this.blocks.get(at).bytes));
    let given = false;
    const parts = values.map((x) => {
      const block = this.blocks.get(x);
      // outputs come first; memory pushed behind them is scratch
      given ||= !block || block.input;
      if (block)
        return {
          kind: block.input ? 'p' : given ? 's' : 'o',
          at: x,
          bytes: block.bytes,
          content: block.input ? bytes(x) : Buffer.alloc(0),
        };
      return Number.isInteger(x) && x < 2 ** 32 ? { kind: 'i', x } : { kind: 'd', x };
    });
    const result = f(...values);
    this.calls.push({
      f: name,
      parts,
      result,
      outputs: parts.filter(({ kind }) => kind === 'o').map(({ at }) => bytes(at)),
    });
    return result;
  }
}

const module = new WebAssembly.Module(
  readFileSync(new URL('../../src/js/theory/theory.wasm', import.meta.url)),
);
const memory = new Recorder(new WebAssembly.Instance(module, {}).exports);
const t = theory(memory);

for (const { r, n, z, T } of logits(31, 60)) {
  const temperature = T;
  const other = z.map((x) => x + r.normal());
  const spent = t.rhoEffective(z, { temperature });
  t.klBudget(z, spent.rho);
  t.klBudget(z, r.pick([0, 1e-9, 100]));
  t.klFrontier(z, { points: 5 });
  t.gibbs(z, { temperature, candidate: distribution(r, n) });
  t.gibbs(z, { temperature });
  if (n > 2) t.simplexMerge(z, { temperature, keep: [n - 1, 0] });
  t.logSumExp(z, { temperature, change: other });
  const jacobian = t.softmaxJacobian(z, { temperature });
  jacobian.apply(other);
  jacobian.spectrum();
  jacobian.top();
  t.lipschitz(Float64Array.of(...z, ...other), Float64Array.of(...other, ...z), {
    keys: n,
    temperature,
  });
  t.limits(z, { temperature });
  t.susceptibility(z, { temperature });
  t.everyNorm(z, { temperature, change: other });
  t.dispersion(z, { temperature });
  t.criticalTemperature(z, { temperature });
  t.sinkGate(z, { temperature, sink: z[0] + r.normal() });
  t.biasPrior(z, { temperature, bias: other, candidate: distribution(r, n) });
  t.biasPrior(z, { temperature, bias: other });
  if (spent.rho > 0.05) t.drawsToReject(z, { temperature, samples: 4, seed: n });
}
for (const { r, q, k, v, d, dv, T } of queries(32, 40)) {
  t.maximumLikelihood(q, k, v, {
    beta: 2,
    at: Float64Array.from({ length: dv }, () => r.normal()),
  });
  t.maximumLikelihood(q, k, v);
  const { weights, features } = t.maximumEntropy(q, k, { multipliers: 0.1 });
  t.maximumEntropy(q, k, { target: weights.reduce((sum, p, j) => sum + p * features[j], 0) });
  t.sharedKeyBounds(
    q,
    k,
    k.map((x) => x + 0.1 * r.normal()),
    v,
    { headDim: d, temperature: T, sharedV: r.chance(0.5) ? v.map((x) => -x) : undefined },
  );
  t.operatorNorm(k, { columns: d });
  t.hopfield(q, k, { temperature: T, steps: 3 });
}
t.softmaxJacobian(t.normal(500, { seed: 3 })).spectrum();
t.scaleExperiment({ headDim: 8, samples: 3, keys: 5, seed: 9 });

/** The recorded calls as run_theory.c reads them. */
function stream(calls) {
  const int = (x) => Buffer.from(Int32Array.of(x).buffer);
  return Buffer.concat(
    calls.flatMap(({ f, parts }) => [
      Buffer.of(f.length),
      Buffer.from(f),
      Buffer.of(parts.length),
      ...parts.flatMap(({ kind, x, bytes, content }) => {
        if (kind === 'i') return [Buffer.from('i'), int(x)];
        if (kind === 'd') return [Buffer.from('d'), Buffer.from(Float64Array.of(x).buffer)];
        return [Buffer.from(kind), int(bytes), content];
      }),
    ]),
  );
}

for (const program of repeats(['asan', 'gcc'], ['asan', 'msan', 'gcc']))
  test(`all functions have the bits of theory.wasm: native_theory_${program}`, () => {
    const { status, stdout, stderr } = spawnSync(
      fileURLToPath(new URL(`../../build/native/native_theory_${program}`, import.meta.url)),
      {
        input: stream(memory.calls),
        maxBuffer: 2 ** 28,
      },
    );
    assert.deepEqual([status, `${stderr}`], [0, '']);
    let at = 0;
    const nextBytes = (bytes) => stdout.subarray(at, (at += bytes));
    for (const [x, { f, parts, result, outputs }] of memory.calls.entries()) {
      const code = nextBytes(4).readInt32LE();
      const value = nextBytes(8).readDoubleLE();
      assert.ok(
        parts.length > 0 && (result === undefined || result === code || Object.is(result, value)),
        `call ${x}, ${f}: ${code} or ${value}, not ${result}`,
      );
      for (const [y, want] of outputs.entries())
        sameArray(
          new Uint8Array(nextBytes(want.length)),
          new Uint8Array(want),
          `call ${x}, ${f}, output ${y}`,
        );
    }
    assert.equal(at, stdout.length);
  });

test('every function of the manuals but those of statement 6 was called', () => {
  const manual = (name) =>
    readFileSync(new URL(`../../src/include/${name}.h`, import.meta.url), 'utf8');
  const declared = [
    ...['theory', 'sensitivity', 'consequences']
      .map(manual)
      .join('\n')
      .matchAll(/^ATTN_API [\w ]*?\battn_(\w+)\(/gm),
  ].map(([, name]) => name);
  assert.deepEqual(
    [...new Set(memory.calls.map(({ f }) => f))].sort(),
    declared.filter((name) => !name.startsWith('gaussian')).sort(),
  );
});
