/** Targets of the costs of attention beside its time: statistics, memory, start and download. */
import { COLD, MEMORY } from '../cases.js';
import { FUSED } from '../limits/names.js';

/**
 * @param {any} results
 * @param {ReturnType<import('./measured.js').figures>} measured
 * @param {ReturnType<import('./verdicts.js').verdicts>} verdicts
 */
export function costTargets(results, { find, share, faster, title }, { atLeast, atMost }) {
  const { engine } = results.node;
  for (const id of ['prefill-12-12-512-64', 'decode-9-3-1024-64', 'decode-32-8-4096-64']) {
    const variant = find(id, 'clearhead relaxed') ? 'relaxed' : 'simd';
    const ratio = faster(id, `clearhead ${variant}`, `clearhead ${variant}, lse and stats`);
    atMost(
      'statistics and lse cost',
      title(id),
      5,
      ratio && 100 * (ratio - 1),
      ' %',
      (x) => `${x.toFixed(1)} %`,
    );
  }
  for (const n of [1024, 2048])
    atLeast(
      'int8, of the fused limit',
      title(`prefill-12-12-${n}-64`),
      1.3,
      share(`prefill-12-12-${n}-64`, 'clearhead, int8', FUSED),
    );

  const memory = (id) =>
    results.memory?.find((row) => row.id === id && row.name === 'clearhead')?.wasm;
  for (const { id } of MEMORY)
    atMost(
      'memory beyond inputs and output',
      title(id),
      1,
      memory(id) / 2 ** 20,
      ' MB',
      (x) => `${x.toFixed(2)} MB`,
    );
  const [cold, naive] = ['clearhead', 'naive JS'].map(
    (name) =>
      results.cold?.find((row) => row.name === name && row.engine === engine)?.milliseconds?.median,
  );
  atMost('import to first result', COLD.title, 25, cold, ' ms', (x) => `${x.toFixed(0)} ms`);
  // how quickly the machine starts anything shows in the time of the other
  atMost(
    'the same, of the time naive JS takes',
    COLD.title,
    0.76,
    cold / naive,
    ' (25 of 33 ms)',
    (x) => `${x.toFixed(2)} (of ${naive.toFixed(0)} ms)`,
  );
  const size = results.size?.find((row) => row.name === 'clearhead')?.bytes;
  atMost(
    'download, brotli',
    'attention entry and kernels',
    40,
    size / 1024,
    ' KB',
    (x) => `${x.toFixed(1)} KB`,
  );
}
