/** Targets of speed with one thread. */
import { APART } from '../limits/names.js';
import { NOISE } from './verdicts.js';

/**
 * @param {ReturnType<import('./measured.js').figures>} measured
 * @param {ReturnType<import('./verdicts.js').verdicts>} verdicts
 */
export function speedTargets({ share, best, allowed, faster, worst, title }, { atLeast, atMost }) {
  for (const n of [512, 1024, 2048])
    atLeast(
      'prefill, of the fused limit',
      title(`prefill-12-12-${n}-64`),
      0.75,
      best(`prefill-12-12-${n}-64`),
    );
  atLeast(
    'prefill, of the fused limit',
    title('prefill-6-6-512-128'),
    0.75,
    best('prefill-6-6-512-128'),
  );
  for (const id of [
    'prefill-12-12-512-64',
    'prefill-12-12-1024-64',
    'prefill-12-12-2048-64',
    'prefill-6-6-512-128',
  ])
    atLeast('simd, of multiply, then add', title(id), 0.8, share(id, 'clearhead simd', APART));
  for (const n of [512, 1024, 2048])
    atLeast(
      'causal, of the fused limit',
      title(`prefill-12-12-${n}-64-causal`),
      0.68,
      best(`prefill-12-12-${n}-64-causal`),
    );
  atLeast(
    'grouped, of the fused limit',
    title('prefill-9-3-512-64-causal'),
    0.67,
    best('prefill-9-3-512-64-causal'),
  );

  atLeast(
    'matrix product, of the fused limit',
    title('matmul-512-576-576'),
    0.75,
    best('matmul-512-576-576'),
  );
  atLeast(
    'simd, of multiply, then add',
    title('matmul-512-576-576'),
    0.8,
    share('matmul-512-576-576', 'clearhead simd', APART),
  );

  for (const id of ['gradient-12-12-512-64', 'gradient-12-12-1024-64-causal']) {
    atLeast('gradient, of the fused limit', title(id), 0.5, best(id));
    atLeast('simd, of multiply, then add', title(id), 0.5, share(id, 'clearhead simd', APART));
  }

  const [slower, slowest] = worst((c) => faster(c.id, 'clearhead relaxed', 'clearhead simd'));
  atLeast('relaxed is not slower than simd', `worst: ${slowest}`, NOISE, slower);

  // In units of the limit that ran beside each, whose time does follow the pairs.
  const [longer, shorter] = ['prefill-3-3-4096-64-w256', 'prefill-3-3-2048-64-w256'].map(allowed);
  atMost(
    'window: time follows the pairs seen',
    '4096 against 2048, window 256',
    1.1,
    longer && shorter && shorter / longer,
    ' times the time a pair',
  );

  atLeast(
    'decode, of the machine’s limit',
    title('decode-9-3-1024-64'),
    0.56,
    allowed('decode-9-3-1024-64'),
    ' (25 of 45 GB/s)',
  );
  atLeast(
    'decode, of the machine’s limit',
    title('decode-32-8-4096-64'),
    0.55,
    allowed('decode-32-8-4096-64'),
    ' (18 of 33 GB/s)',
  );
  for (const id of ['decode-9-3-4096-64', 'decode-32-8-4096-64']) {
    const times = ['relaxed', 'simd']
      .map((variant) => faster(id, 'clearhead, q8 cache', `clearhead ${variant}`))
      .find(Boolean);
    atLeast('q8 cache against float32', title(id), 1.5, times, ' times as fast');
  }
}
