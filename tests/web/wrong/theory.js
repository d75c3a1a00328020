/** Builds whose theory is wrong in one way each, for builds.js. */
import { edit, theory, wrap } from './changes.js';

export const WRONG_THEORY = [
  {
    name: 'one head of another temperature than was asked',
    change: wrap(
      'return engine.attention(q, k, v, o.heads > 1 || o.headDim > 2 ? o : { ...o, ' +
        'temperature: 1.01 * (o.temperature ?? 1) });',
    ),
    red: ['C0', 'C0-spent', 'C8', 'C9', 'C7', 'C16'],
  },
  {
    name: 'a frontier that is too low',
    change: theory('klBudget', '{ ...r, expectedScore: r.expectedScore - 0.01 }'),
    red: ['C13', 'C11'],
  },
  {
    name: 'a price of the budget that is one per cent off',
    change: theory('klBudget', '{ ...r, temperature: 1.01 * r.temperature }'),
    red: ['C14', 'C7'],
  },
  {
    name: 'a distribution of greatest entropy that is not',
    change: theory('maximumEntropy', '{ ...r, weights: r.weights.map((p) => 0.9 * p + 0.02) }'),
    red: ['C10'],
  },
  {
    name: 'a most likely value that is off',
    change: theory('maximumLikelihood', '{ ...r, estimate: r.estimate.map((x) => x + 1e-9) }'),
    red: ['C8'],
  },
  {
    name: 'a gap that is one per cent off',
    change: theory('gibbs', '{ ...r, gap: 1.01 * r.gap }'),
    red: ['C15'],
  },
  {
    name: 'keys that are merged too high',
    change: theory('simplexMerge', '{ ...r, logits: r.logits.map((z) => 1.01 * z) }'),
    red: ['C15-merge'],
  },
  {
    name: 'eigenvalues that are one per cent off',
    change: theory(
      'softmaxJacobian',
      '{ ...r, spectrum: () => { const s = r.spectrum(); return { ...s, eigenvalues: ' +
        's.eigenvalues.map((x) => 1.01 * x) }; } }',
    ),
    red: ['C20'],
  },
  {
    name: 'moves that are three times as long',
    change: theory(
      'lipschitz',
      '{ ...r, ratios: r.ratios.map((x) => 3 * x), maxRatio: 3 * r.maxRatio }',
    ),
    red: ['C21', 'C21-oracle'],
  },
  {
    name: 'a variance that is a tenth too large',
    change: theory('scaleExperiment', '{ ...r, variance: 1.1 * r.variance }'),
    red: ['C25'],
  },
  {
    name: 'losses that are larger than they are',
    change: theory(
      'sharedKeyBounds',
      '{ ...r, measured: { weights2: r.measured.weights2.map((x) => 60 * x), weights1: ' +
        'r.measured.weights1.map((x) => 9 * x), output: r.measured.output.map((x) => 9 * x) } }',
    ),
    red: ['C22-sharp', 'C22-note', 'C22-operator', 'C22-range', 'C22-outputDiameter', 'C22-oracle'],
  },
  {
    name: 'short keys of another temperature',
    change: wrap(
      'return engine.attention(q, k, v, o.headDim === 16 && o.scale ? { ...o, temperature: ' +
        '1.01 } : o);',
    ),
    red: ['C23'],
  },
  {
    name: 'an oracle that overlooks the largest exponent',
    change: edit(
      'web/math/oracle.js',
      'largest = Math.max(largest, exponent);',
      'largest = exponent;',
    ),
    at: 'kT=0.0009',
    red: ['C1-shift'],
  },
];
