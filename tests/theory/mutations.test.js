/**
 * The check can fail: kernels that are wrong in one place each, and the statements that must say
 * so, those and no others.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lab } from '../../src/cli/lab.js';
import { examine } from '../../src/cli/statements.js';
import { init } from '../../src/js/index.js';
import { mutant } from './mutants.js';

/** The mutation, its place, and the statements that notice. */
const MUTATIONS = [
  [
    'missing √d',
    'attention/options.c',
    '.scale = 1.0 / __builtin_sqrt(dim)',
    '.scale = 1.0',
    [1, 2, 3, 6, 10, 12],
  ],
  [
    'missing temperature',
    'attention/softmax_state.c',
    'f64_exp(t / temperature)',
    'f64_exp(t + 0 * temperature)',
    [2, 3, 4, 5, 6, 7, 8, 9, 12],
  ],
  [
    'causal mask off by one',
    'attention/options.h',
    'if (p->causal && position + 1 < hi)\n    hi = position + 1;',
    'if (p->causal && position + 2 < hi)\n    hi = position + 2;',
    [1, 10, 14],
  ],
  [
    'wrong group map',
    'attention/f64.c',
    '(size_t)(h / group) * ks.head',
    '(size_t)(h % p->kv_heads) * ks.head',
    [1, 11],
  ],
  [
    'wrong group map in float32',
    'attention/chunk.c',
    'h = job->kv_head * job->group + (r + x) % job->group;',
    'h = job->kv_head + (r + x) % job->group * (p->heads / job->group);',
    [1, 11],
  ],
  ['likelihood: a fifth more', 'theory/likelihood.c', '0.5 * (value_dim', '0.6 * (value_dim', [2]],
  [
    'likelihood: curvature three times too large',
    'theory/likelihood.c',
    'second_derivative = -f64_exp(log_precision)',
    'second_derivative = -3 * f64_exp(log_precision)',
    [2],
  ],
  [
    'top eigenvalue: the second weight',
    'theory/spectrum.c',
    'root_above(&w, next, max - next)',
    'next',
    [8],
  ],
  ['limits: excess without T', 'theory/limits.c', 'temperature * d.log_sum', 'd.log_sum', [9]],
  [
    'shared values without effect on the output',
    'theory/sharing.c',
    '(p[j] + dp[j]) * (v_load_double(shared_v + at, remaining) - value)',
    '0 * value',
    [12],
  ],
  [
    'standard error ten times too large',
    'theory/experiment.c',
    '.standard_error =',
    '.standard_error = 10 *',
    [13],
  ],
  [
    'trace of the Jacobian: 1 + Σp²',
    'theory/experiment.c',
    '1 - sum_of(squares)',
    '1 + sum_of(squares)',
    [13],
  ],
  [
    'latent: compressed queries without the scale of their norm',
    'layers/latent.c',
    'rows.end, size, l->q_norm,',
    'rows.end, size, NULL,',
    [14],
  ],
  [
    'lse without the largest score',
    'attention/softmax_state.c',
    'log_sum + row->max / temperature',
    'log_sum',
    [2, 5, 7, 8, 9],
  ],
  [
    'entropy in bits',
    'attention/softmax_state.c',
    '.entropy = entropy < 0 ? 0 : entropy',
    '.entropy = entropy < 0 ? 0 : entropy * LOG2E',
    [5],
  ],
  [
    'KL without log n',
    'attention/softmax_state.c',
    'kl = shift - log_mean',
    'kl = shift - log_total',
    [4, 5],
  ],
  [
    'T = 0 without shared ties',
    'theory/limits.c',
    'hard[j] = z[j] == d.max ? 1.0 / ties : 0',
    'hard[j] = z[j] == d.max',
    [9],
  ],
  ['σ² = T·d', 'theory/gaussian.c', 'temperature * __builtin_sqrt(dim)', 'temperature * dim', [6]],
  [
    'σ² in place of 2σ²',
    'theory/gaussian_rows.h',
    '2.0 * attn_gaussian_sigma2(dim, temperature)',
    'attn_gaussian_sigma2(dim, temperature)',
    [6],
  ],
  [
    'likelihood: gradient of the wrong sign',
    'theory/likelihood.c',
    'weights[j] * (v[(size_t)j * (size_t)value_dim + (size_t)c] - from)',
    'weights[j] * (from - v[(size_t)j * (size_t)value_dim + (size_t)c])',
    [2],
  ],
  [
    'likelihood: precision without β',
    'theory/likelihood.c',
    'd.max + d.log_sum + log_beta, moved',
    'd.max + d.log_sum, moved',
    [2],
  ],
  [
    'maximum entropy: multiplier in units of the width',
    'theory/maximum_entropy.c',
    '&iterations) / d.width',
    '&iterations)',
    [3],
  ],
  [
    'maximum entropy: features without multipliers',
    'theory/maximum_entropy.c',
    'multipliers ? multipliers[j] * features[j] : features[j]',
    'multipliers ? features[j] : features[j]',
    [3],
  ],
  [
    'KL budget: what is left, of the wrong sign',
    'theory/budget.c',
    'f64_log1p(sum_of(tail) / f->ties) + mean',
    'f64_log1p(sum_of(tail) / f->ties) - mean',
    [4, 5, 9, 13],
  ],
  [
    'KL budget: value of the penalised form without log n',
    'theory/budget.c',
    '(f64_log(total) - log_n) / beta',
    'f64_log(total) / beta',
    [4],
  ],
  ['Gibbs: gap without T', 'theory/gibbs.c', 'temperature * report->kl', 'report->kl', [7]],
  [
    'Gibbs: the rest merged without T',
    'theory/gibbs.c',
    'logits[kept] = soft_maximum(&last, temperature)',
    'logits[kept] = soft_maximum(&last, 1)',
    [7],
  ],
  [
    'Hessian without λ',
    'theory/differential.c',
    'p[j] * (x[j] - mean) / temperature',
    'p[j] * (x[j] - mean)',
    [8],
  ],
  [
    'Hessian without ppᵀ',
    'theory/differential.c',
    'p[j] * (x[j] - mean) / temperature',
    'p[j] * x[j] / temperature',
    [8],
  ],
  [
    'cocoercivity constant of the note',
    'theory/differential.c',
    'sharp_cocoercivity = 2 * temperature',
    'sharp_cocoercivity = temperature',
    [8],
  ],
  [
    'Lipschitz ratio twice too large',
    'theory/differential.c',
    'ratios[x] = ratio * lambda',
    'ratios[x] = 2 * ratio * lambda',
    [8],
  ],
  [
    'spectrum: the weights themselves',
    'theory/spectrum.c',
    'return base + s * width;',
    'return base + 0 * s * width;',
    [8],
  ],
  [
    'shared keys: a bound eight times too sharp',
    'theory/sharing.c',
    '__builtin_sqrt(sum_of(centred)) / (2 * temperature)',
    '__builtin_sqrt(sum_of(centred)) / (16 * temperature)',
    [12],
  ],
  [
    'shared keys: a change of scores without √d',
    'theory/sharing.c',
    'expectation(q, change + (size_t)j * (size_t)dim, dim) / root',
    'expectation(q, change + (size_t)j * (size_t)dim, dim)',
    [12],
  ],
  [
    'operator norm one per cent too small',
    'theory/operator_norm.c',
    '__builtin_sqrt(first) / scale',
    '__builtin_sqrt(first) / scale / 1.01',
    [12],
  ],
  [
    'random numbers of another variance',
    'theory/experiment.c',
    '-2 * f64_log(square)',
    '-1.5 * f64_log(square)',
    [13],
  ],
  [
    'dot products of half of the channels',
    'theory/experiment.c',
    'z[j] = expectation(q, k, dim)',
    'z[j] = expectation(q, k, dim / 2)',
    [13],
  ],
  ['multi-head: no residual', 'layers/multi_head.c', 'if (layer->residual)\n', 'if (0)\n', [10]],
  [
    'multi-head: W_O meets the heads one channel late',
    'layers/block.c',
    'b->a, &b->o',
    'b->a + 1, &b->o',
    [10],
  ],
  [
    'multi-head: values without their bias',
    'layers/multi_head.c',
    'layer->wv, layer->bv',
    'layer->wv, NULL',
    [10],
  ],
  [
    'products without their last column',
    'matrix/product_f32.c',
    'tile(sums, x, weights, columns, column == 0)',
    'tile(sums, x, weights, columns - 1, column == 0)',
    [10, 14],
  ],
  [
    'a scale that is given is not taken',
    'attention/options.c',
    'p->scale = scale;',
    '(void)scale;',
    [3, 14],
  ],
  [
    'absorbed: W_UK not transposed',
    'layers/latent.c',
    'attn_matrix_pack_transposed(start_matrix(to + at.transposed, latent, layer->nope), kv_b)',
    'pack_matrix(to + at.transposed, kv_b, latent, layer->nope)',
    [14],
  ],
  [
    'absorbed: the part that carries the position missing',
    'layers/latent.c',
    'heads * s->kept, q + l->nope, heads * s->dim',
    'heads * s->kept, q, heads * s->dim',
    [14],
  ],
  [
    'absorbed: W_UV of the first head for all',
    'layers/latent.c',
    's->batch * s->m,\n              matrix_of(s, h, s->up.values)',
    's->batch * s->m,\n              matrix_of(s, 0, s->up.values)',
    [14],
  ],
  [
    'latent: queries that are not turned',
    'layers/latent.c',
    's->q + l->nope, l->heads,',
    's->q + l->nope, 0,',
    [14],
  ],
  [
    'working memory that grows with n',
    'attention/call.c',
    ': SPAN;\n  size_t numbers',
    ': (size_t)p->n;\n  size_t numbers',
    [15],
  ],
  [
    'multiply-adds of the scores alone',
    'attention/pieces.c',
    'p->m * p->n * (p->dim + p->value_dim);',
    'p->m * p->n * p->dim;',
    [15],
  ],
];

const rows = [];
/** The verdicts of the statements on an engine of these modules. */
const examined = async (modules) =>
  examine(await lab(await init({ ...modules, variant: 'simd', layers: true }), 1));
const red = async (modules) => (await examined(modules)).filter(({ holds }) => !holds);

const numbers = (await examined({})).map(({ number }) => number);

test('the kernels as they are violate nothing', async () => {
  assert.deepEqual(await red({}), []);
});

for (const [name, file, from, to, expected] of MUTATIONS)
  test(`${name} is noticed by ${expected.join(', ')} and by nothing else`, async () => {
    const found = await red(mutant(file, from, to));
    rows.push([name, file, found.map(({ number }) => number)]);
    assert.deepEqual(
      found.map(({ number }) => number),
      expected,
      found
        .map(({ number, worst }) => `${number}: ${worst.sides}, ${worst.ratio} of what is allowed`)
        .join('; '),
    );
  });

test('the command says so, and ends with status 1', () => {
  const [name, file, from, to] = MUTATIONS.find(([, , , , expected]) => expected.includes(11));
  const wasm = join(mkdtempSync(join(tmpdir(), 'clearhead-wrong-')), 'attn.wasm');
  writeFileSync(wasm, mutant(file, from, to).wasm);
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      fileURLToPath(new URL('../../src/cli/clearhead.js', import.meta.url)),
      'check',
      '--wasm',
      wasm,
    ],
    { encoding: 'utf8' },
  );
  rmSync(dirname(wasm), { recursive: true });
  assert.equal(status, 1, name);
  assert.deepEqual(
    [...stdout.matchAll(/^ *(\d+) .*✗ VIOLATED$/gm)].map(([, number]) => Number(number)),
    [1, 11],
  );
  assert.match(stdout, /NOT all statements hold: 1 attention, 11 grouped queries/);
});

test('every statement has a mutation that it notices', () => {
  assert.deepEqual(
    [...new Set(MUTATIONS.flatMap(([, , , , expected]) => expected))].sort((a, b) => a - b),
    numbers,
  );
});

after(() => {
  const columns = numbers.map((number) => String(number).padStart(3)).join('');
  console.log(
    [
      '',
      `${'mutation'.padEnd(52)}${columns}`,
      ...rows.map(
        ([name, , found]) =>
          `${name.padEnd(52)}` +
          `${numbers.map((number) => (found.includes(number) ? '  ✗' : '  ·')).join('')}`,
      ),
      '',
    ].join('\n'),
  );
});
