/**
 * The targets of Clearhead, and whether this run reached them. Targets of speed are ratios within
 * one run, so that they mean the same on another machine. A target that was stated in absolute
 * figures is the share of the limit of the machine where it was set. The first result is judged by
 * both.
 */
import { COLD, MEMORY, caseOf, cases } from './cases.js';
import { APART, FUSED, sharesOf, timesFaster } from './measure.js';
import { BESIDE } from './models/index.js';
import { median } from './spread.js';

/** Two medians closer than that are the same on a machine others use too. */
const NOISE = 0.97;

/**
 * @param {any} results
 * @returns {{ target: string, where: string, wanted: string, measured: string, met: boolean | null
 *   }[]} met is null if it was not measured
 */
export function targets(results) {
  const lines = [];
  const { engine } = results.node;
  const rowsOf = (id) => results.cases[id] ?? [];
  const find = (id, name, where = engine) =>
    rowsOf(id).find((row) => row.name === name && row.engine === where && row.seconds);
  const measured = cases.filter((c) => c.section !== 'limits' && rowsOf(c.id).length);

  const line = (target, where, wanted, value, met, show = (x) => x.toFixed(2)) => {
    const none = value === null || value === undefined || Number.isNaN(value);
    lines.push({
      target,
      where,
      wanted,
      measured: none ? 'not measured in this run' : show(value),
      met: none ? null : met(value),
    });
  };
  const atLeast = (target, where, wanted, value, note = '', show) =>
    line(target, where, `≥ ${wanted}${note}`, value, (x) => x >= wanted, show);
  const atMost = (target, where, wanted, value, unit, show) =>
    line(target, where, `≤ ${wanted}${unit}`, value, (x) => x <= wanted, show);

  /** Share of the machine's limit for one thread with multiply-adds of that kind. */
  const share = (id, name, limit) => {
    const row = find(id, name);
    return row?.least[limit] ? median(sharesOf(row, limit)) : null;
  };
  /** Both builds are compared with fused multiply-adds, the most that the machine can do. */
  const best = (id, of = (name) => share(id, name, FUSED)) => {
    const both = ['clearhead relaxed', 'clearhead simd'].map(of).filter((x) => x !== null);
    return both.length ? Math.max(...both) : null;
  };
  /** The same, or the share of multiply, then add where the engine cannot fuse. */
  const allowed = (id) =>
    best(id, (name) => {
      const row = find(id, name);
      const shares = row ? sharesOf(row, FUSED) : [];
      return shares.length ? median(shares) : null;
    });
  /** How many times as fast a is as b in a case. */
  const faster = (id, a, b) => {
    const ratio = timesFaster(find(id, a), find(id, b));
    return ratio && ratio.median;
  };
  /** The worst of all measured cases, and which it is. */
  const worst = (value) => {
    const all = measured
      .map((c) => [value(c), c.title])
      .filter(([x]) => x !== null && x !== undefined && !Number.isNaN(x));
    return all.sort((a, b) => a[0] - b[0])[0] ?? [null, ''];
  };
  const title = (id) => caseOf(id).title;

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
    'decode, of what the machine allows',
    title('decode-9-3-1024-64'),
    0.56,
    allowed('decode-9-3-1024-64'),
    ' (25 of 45 GB/s)',
  );
  atLeast(
    'decode, of what the machine allows',
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

  for (const n of [512, 1024, 2048]) {
    const id = `prefill-12-12-${n}-64`;
    const least = find(id, 'clearhead relaxed, 2 threads')?.least;
    const loops = least?.[`${FUSED}, 2 threads`]?.map((share, turn) => least[FUSED][turn] / share);
    // A second thread makes the limit's loop less than 2 times as fast where neighbours have the
    // other core. The gain is measured in the same turns.
    const gained = loops && median(loops);
    const enough = loops ? Math.min(1.9, 0.95 * gained) : 1.9;
    const show = (x) =>
      `${x.toFixed(2)} (the limit itself ${gained?.toFixed(2) ?? 'not measured'})`;
    line(
      '2 threads against 1',
      title(id),
      '≥ 1.9, or 0.95 of what the limit gains',
      faster(id, 'clearhead relaxed, 2 threads', 'clearhead relaxed'),
      (x) => x >= enough,
      show,
    );
  }
  {
    const id = 'prefill-12-12-512-64';
    const rows = results.threads?.[id] ?? [];
    const shares = rows
      .filter(
        (row) => row.threads === 2 && row.seconds && /^clearhead (relaxed|simd)$/.test(row.name),
      )
      .map((row) => median(sharesOf(row, FUSED)));
    atLeast(
      '2 threads, of the fused limit of both',
      title(id),
      0.76,
      shares.length ? Math.max(...shares) : null,
      ' (102 of 134 GFLOP/s)',
    );
    atLeast(
      '2 threads, against the best peer with two',
      title(id),
      1,
      leadOf(rows),
      ' times as fast',
    );
  }
  const [lost, where] = worst((c) =>
    faster(c.id, 'clearhead relaxed, 2 threads', 'clearhead relaxed'),
  );
  atLeast('2 threads are not slower', `worst: ${where || 'of all'}`, NOISE, lost);

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

  modelTargets(results.models ?? [], { atLeast, atMost });

  const [lead, behind] = worst((c) => leadOf(rowsOf(c.id)));
  atLeast('against the best peer', `closest: ${behind}`, 1, lead, ' times as fast');
  return lines;
}

/**
 * How many times as fast as the fastest peer we are, each peer compared with us in its own engine
 * and with its own threads.
 */
export function leadOf(rows) {
  const leads = rows
    .filter((row) => row.role === 'peer' && row.seconds)
    .map((peer) => {
      const ours = rows.filter(
        (row) =>
          row.role === 'ours' &&
          row.engine === peer.engine &&
          row.seconds &&
          /^clearhead (relaxed|simd)$/.test(row.name),
      );
      return Math.max(...ours.map((row) => timesFaster(row, peer)?.median ?? -Infinity));
    })
    .filter(Number.isFinite);
  return leads.length ? Math.min(...leads) : null;
}

/**
 * Whole models against wllama on the same file in the same browser. Load time counts the fetch of
 * both.
 * @param {any[]} rows of measureModels
 * @param {Record<'atLeast' | 'atMost', (...line: any[]) => void>} lines
 */
function modelTargets(rows, { atLeast, atMost }) {
  const find = (name, type, threads, who) =>
    rows.find(
      (row) =>
        row.name === name &&
        row.type === type &&
        row.threads === threads &&
        row.who === who &&
        row.speeds,
    );
  const speed = (row, key) => row?.speeds[key]?.median;
  const best = (name, type, threads, key) => {
    const both = ['relaxed', 'simd']
      .map((variant) => speed(find(name, type, threads, `clearhead ${variant}`), key))
      .filter(Boolean);
    return both.length ? Math.max(...both) : null;
  };
  /** Null where one of the two was not measured. */
  const ratio = (a, b) => (a && b ? a / b : null);
  const smol = 'SmolLM2-135M';
  for (const threads of [1, 2]) {
    const on = (type) => `${smol} ${type}, ${threads === 1 ? 'one thread' : 'two threads'}`;
    const times = (type, key, ours = best(smol, type, threads, key)) =>
      ratio(ours, speed(find(smol, type, threads, 'wllama'), key));
    atLeast(
      'prompt of 512, against wllama',
      on('Q8_0'),
      15,
      times('Q8_0', 'prefill 512'),
      ' times as fast',
    );
    atLeast(
      'the same with simd',
      on('Q8_0'),
      6,
      times(
        'Q8_0',
        'prefill 512',
        speed(find(smol, 'Q8_0', threads, 'clearhead simd'), 'prefill 512'),
      ),
      ' times as fast',
    );
    atLeast(
      'decoding, against wllama',
      on('Q8_0'),
      5,
      times('Q8_0', 'decode 128'),
      ' times as fast',
    );
    /**
     * The target is 0.85 of the one behind 128, so that being faster there is no disadvantage here.
     * Beside it stands the share of its own speed there.
     */
    const far = (target, speedBehind) => {
      const [here, near] = [896, 128].map((length) => speedBehind(`decode ${length}`));
      const show = (x) => `${x.toFixed(2)} (${(here / near).toFixed(2)} of its own)`;
      atLeast(
        target,
        on('Q8_0'),
        4.25,
        ratio(here, speed(find(smol, 'Q8_0', threads, 'wllama'), 'decode 128')),
        ' times as fast',
        show,
      );
    };
    far('decoding behind 896, against wllama behind 128', (key) =>
      best(smol, 'Q8_0', threads, key),
    );
    far('the same with a cache in float16', (key) =>
      speed(find(smol, 'Q8_0', threads, 'clearhead relaxed, f16 cache'), key),
    );
    for (const type of ['Q4_0', 'Q4_K']) {
      // the kernels that are chosen where nothing is asked for, as beside it
      const ours =
        find(smol, type, threads, 'clearhead relaxed') ??
        find(smol, type, threads, 'clearhead simd');
      atLeast(
        `decoding ${type} against Q8_0`,
        on(type),
        NOISE,
        ratio(speed(ours, 'decode 128'), speed(find(smol, type, threads, BESIDE), 'decode 128')),
      );
    }
    atLeast(
      'prompt of 512, against wllama',
      on('F16'),
      10,
      times('F16', 'prefill 512'),
      ' times as fast',
    );
    atLeast('decoding, against wllama', on('F16'), 4, times('F16', 'decode 128'), ' times as fast');
    for (const type of ['Q8_0', 'F32'])
      for (const key of ['prefill 512', 'decode 128'])
        atLeast(
          `${key}, against wllama`,
          `stories15M ${type}, ${threads === 1 ? 'one thread' : 'two threads'}`,
          2,
          ratio(
            best('stories15M', type, threads, key),
            speed(find('stories15M', type, threads, 'wllama'), key),
          ),
          ' times as fast',
        );
  }
  const ours =
    find(smol, 'Q8_0', 1, 'clearhead relaxed') ?? find(smol, 'Q8_0', 1, 'clearhead simd');
  const theirs = find(smol, 'Q8_0', 1, 'wllama');
  atMost(
    'loading, of the time wllama takes',
    `${smol} Q8_0`,
    0.5,
    ratio(ours?.load, theirs?.load),
    '',
  );
  for (const type of ['Q8_0', 'Q4_K']) {
    const row = find(smol, type, 1, 'clearhead relaxed') ?? find(smol, type, 1, 'clearhead simd');
    const mb = (bytes) => (bytes / 2 ** 20).toFixed(0);
    atMost(
      'wasm memory beside the file and the cache',
      `${smol} ${type}`,
      64,
      row && row.wasm / 2 ** 20,
      ' MB',
      (x) => `${x.toFixed(0)} MB`,
    );
    // the largest size, with the browser's own part and the part of the cache that was used
    const page = row && (row.memory - row.kept) / 2 ** 20;
    const show = (x) => `${x.toFixed(0)} MB (one that only reads the file: ${mb(row.reading)})`;
    atMost('its page beside the file and what was read', `${smol} ${type}`, 64, page, ' MB', show);
  }
  atMost(
    'statistics of every head cost',
    `${smol} Q8_0`,
    5,
    ours && 100 * (speed(ours, 'decode 128') / speed(ours, 'decode 128, observed') - 1),
    ' %',
    (x) => `${x.toFixed(1)} %`,
  );
}
