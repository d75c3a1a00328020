/** Builds of the page that are wrong in one way each, and the statements that must say so. */
import { edit, wrap, wrapAttend } from './changes.js';
import { WRONG_THEORY } from './theory.js';

/** Only the machine's calls; the other panels ask for one head. */
const machine = (body) => wrap(`if (!(o.heads > 1)) return engine.attention(q, k, v, o); ${body}`);

/**
 * `at` is the state to look at, by default the page's; `other` are verdicts there that differ from
 * the default. `again` is a fault that the check of another one here notices.
 */
export const MUTATIONS = [
  {
    name: 'a Gaussian of width σ² = T·d',
    change: edit(
      'src/js/theory/gaussian.js',
      '      temperature,\n      restore,',
      '      temperature * Math.sqrt(headDim),\n      restore,',
    ),
    red: ['C0', 'C1-float64', 'C1-float32', 'C18'],
  },
  {
    name: 'a key norm that is not restored',
    change: edit('src/js/theory/gaussian.js', '      restore,\n    );', '      0,\n    );'),
    red: ['C18'],
  },
  {
    name: 'a missing √d',
    change: machine('return engine.attention(q, k, v, { ...o, scale: 1 });'),
    red: ['C2', 'C7-heads', 'seen'],
    again: true,
  },
  {
    name: 'a causal mask that is off by one',
    change: machine('return engine.attention(q, k, v, { ...o, offset: 1 });'),
    red: ['C2', 'C5', 'C7-heads', 'seen'],
  },
  {
    name: 'groups in the wrong order',
    change: machine(`
      const turn = (x) => {
        const size = x.length / o.kvHeads;
        const out = x.slice();
        out.set(x.subarray(size));
        out.set(x.subarray(0, size), x.length - size);
        return out;
      };
      return o.kvHeads < o.heads && o.kvHeads > 1
        ? engine.attention(q, turn(k), turn(v), o)
        : engine.attention(q, k, v, o);`),
    red: ['C2', 'C4', 'C6', 'C7-heads', 'seen', 'values'],
  },
  {
    name: 'values of another group',
    change: machine(`
      const size = v.length / o.kvHeads;
      const turned = v.slice();
      turned.set(v.subarray(size));
      turned.set(v.subarray(0, size), v.length - size);
      return o.kvHeads < o.heads && o.kvHeads > 1
        ? engine.attention(q, k, turned, o)
        : engine.attention(q, k, v, o);`),
    red: ['C2', 'C4', 'C6', 'values'],
  },
  {
    name: 'weights of another temperature than the output’s',
    change: machine(
      'return engine.attention(q, k, v, o.want?.weights ? { ...o, temperature: 1.01 * ' +
        'o.temperature } : o);',
    ),
    red: ['C4', 'seen'],
  },
  {
    name: 'a T = 0 that is only cold',
    change: machine(
      'return engine.attention(q, k, v, { ...o, temperature: o.temperature || 0.1 });',
    ),
    at: 'T=0',
    red: ['C2', 'C4', 'C7-heads', 'seen'],
  },
  {
    name: 'rows that sum to 1.001',
    change: machine(
      'const r = engine.attention(q, k, v, o); r.weights &&= r.weights.map((p) => 1.001 * ' +
        'p); return r;',
    ),
    red: ['C3', 'C4'],
  },
  {
    name: 'one last bit that depends on sharing',
    change: machine(
      'const r = engine.attention(q, k, v, o); if (o.kvHeads < o.heads) new ' +
        'Int32Array(r.output.buffer)[5] ^= 1; return r;',
    ),
    red: ['C6'],
  },
  {
    name: 'a ρ of one head that is one per cent off',
    change: wrap(
      'const r = engine.attention(q, k, v, o); if (r.stats && !(o.heads > 1)) r.stats.kl = ' +
        'r.stats.kl.map((x) => 1.01 * x); return r;',
    ),
    red: ['C0-budget', 'C0-spent', 'C7'],
  },
  {
    name: 'an output from the values of the keys beside',
    change: wrap(
      'if (o.headDim !== 2 || o.valueDim !== 2) return engine.attention(q, k, v, o); const w = ' +
        'v.slice(); w.set(v.subarray(2)); w.set(v.subarray(0, 2), v.length - 2); return ' +
        'engine.attention(q, k, w, o);',
    ),
    red: ['C0-mean'],
  },
  {
    name: 'a long row that is a little off',
    change: wrap(
      'const r = engine.attention(q, k, v, o); if (q.length === 512 * 64 && !(o.heads > 1)) ' +
        'r.output[512 * 64 - 1] += 1e-5; return r;',
    ),
    red: ['K1'],
  },
  {
    name: 'a row of many spans whose mean score is a little off',
    change: wrap(
      'const r = engine.attention(q, k, v, o); if (q.length === 64 && r.stats) ' +
        'r.stats.expectedScore[0] *= 1.01; return r;',
    ),
    red: ['K2-float64', 'K2-float32'],
  },
  {
    name: 'a cache that gives each head the look of the next',
    change: wrapAttend(
      'const r = engine.attend(q, cache, o); const size = r.output.length / o.heads; ' +
        'const turned = r.output.slice(size); r.output.copyWithin(size, 0); ' +
        'r.output.set(turned.subarray(0, size)); return r;',
    ),
    red: ['K3'],
  },
  {
    name: 'NaN where there is none',
    change: machine('const r = engine.attention(q, k, v, o); r.output[77] = NaN; return r;'),
    red: ['C2', 'C4', 'values'],
  },
  {
    name: 'a ρ of many heads that is one per cent off',
    change: machine(
      'const r = engine.attention(q, k, v, o); if (r.stats) r.stats = { ...r.stats, kl: ' +
        'r.stats.kl.map((x) => 1.01 * x) }; return r;',
    ),
    red: ['C7-heads', 'seen'],
  },
  {
    name: 'a log-sum-exp that is 1 too large',
    change: wrap(
      'const r = engine.attention(q, k, v, o); if (r.lse) r.lse = r.lse.map((x) => x + 1); ' +
        'return r;',
    ),
    red: ['C0-spent', 'C7-heads', 'C9', 'C7'],
  },
  {
    name: 'a caption under the wrong head',
    change: edit(
      'web/panels/many-heads/grid.js',
      'caption.dataset.rho = String(rho[h]);',
      'caption.dataset.rho = String(rho[(h + 1) % H]);',
    ),
    red: ['seen'],
  },
  {
    name: 'a map of the wrong head',
    change: edit(
      'web/panels/many-heads/grid.js',
      'map.show(data, side);',
      'map.show(maps[(h + 1) % H], side);',
    ),
    red: ['seen'],
  },
  {
    name: 'lengths of values without their root',
    change: edit(
      'web/panels/many-heads/values.js',
      'lengths[r] = Math.sqrt(sum);',
      'lengths[r] = sum;',
    ),
    red: ['values'],
  },
  {
    name: 'products with the lengths of another key',
    change: edit(
      'web/panels/many-heads/values.js',
      'p * lengths[at % n]',
      'p * lengths[(at + 1) % n]',
    ),
    at: 'x=value',
    red: ['seen'],
  },
  {
    name: 'a map that is transposed',
    change: edit(
      'web/plot/heatmap-paint.js',
      'const p = Math.abs(weights[i * cols + j]);',
      'const p = Math.abs(weights[j * cols + i]);',
    ),
    at: 'c=0',
    other: { C5: 'none' },
    red: ['seen'],
  },
  {
    name: 'a switch of the keys’ length that does nothing',
    change: edit(
      'web/panels/distance/compute.js',
      'k: cast(unitKeys ? unitRows(k, D) : k)',
      'k: cast(unitRows(k, D))',
    ),
    at: 'nk=0',
    red: ['C1-float64', 'C1-float32', 'C18'],
  },
  {
    name: 'a bar of the channel beside',
    change: edit(
      'web/panels/distance/why-compute.js',
      'q[c] * k[j * d + c])',
      'q[c] * k[j * d + (c ^ 1)])',
    ),
    red: ['why-sum', 'why-split'],
  },
  {
    name: 'a distance that counts a little more',
    change: edit('web/panels/distance/why-compute.js', '-half * apart', '-1.01 * half * apart'),
    red: ['why-split'],
  },
  {
    name: 'a solver of the budget that gives rubbish where all scores tie',
    change: edit(
      'web/math/roads.js',
      'return { weights: compromise(scores, high), price: high };',
      'return { weights: Float64Array.of(0.3, 0.03, 0.17, 0.2, 0.1, 0.2), price: high };',
    ),
    at: 'heroK=40_40_40_40_40_40&heroQ=40',
    red: ['C0-budget', 'C11'],
  },
  ...WRONG_THEORY,
];
