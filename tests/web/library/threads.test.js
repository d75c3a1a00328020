/**
 * Threads in browsers: with cross-origin isolation they help, bit for bit; without, where workers
 * are forbidden or one is lost, one thread says why.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { repeats } from '../../support/campaign.js';
import { browsers, inBlank, ISOLATION, serve, STRICT } from '../site.js';

/**
 * Two threads beside one, in the page: the threads there are, and whether a large prefill, a long
 * decode and a layer have the same bits.
 */
const compare = async () => {
  const { init } = await import(new URL('web/bundled/library.js', location.href).href);
  const two = await init({ layers: true, threads: 2 });
  const one = await init({ layers: true });
  const numbers = (seed, length) => Float32Array.from({ length }, (_, x) => Math.sin(seed + x * x));
  const run = (ch) => {
    const q = numbers(1, 12 * 300 * 64);
    const cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 4000 });
    cache.append(numbers(2, 3 * 4000 * 64), numbers(3, 3 * 4000 * 64));
    const prefill = ch.attention(q, q, q, {
      heads: 12,
      headDim: 64,
      causal: true,
      want: { stats: true },
    });
    const decode = ch.attend(q.subarray(0, 9 * 10 * 64), cache, { heads: 9, want: { lse: true } });
    const w = numbers(4, 256 * 256).map((x) => x / 16);
    const layer = ch.multiHead({ q: w, k: w, v: w, o: w }, { modelDim: 256, heads: 8 });
    const { output } = layer.forward(numbers(5, 150 * 256), { causal: true });
    return [prefill.output, prefill.stats.kl, decode.output, decode.lse, output].map(
      (x) => new Uint8Array(x.slice().buffer),
    );
  };
  const [a, b] = [run(two), run(one)];
  const same = a.every(
    (bytes, x) => bytes.length === b[x].length && bytes.every((byte, y) => byte === b[x][y]),
  );
  return { ...two.info, same };
};

/**
 * Calls with a worker that has a fault, until it has been quick enough to join one. Returns the
 * threads that remain, the longest wait, and the cache.
 */
const lose = async (fault) => {
  const { init } = await import(new URL('web/bundled/library.js', location.href).href);
  const { lostWorkers } = await import(
    new URL('tests/engines/lost-workers.js', location.href).href
  );
  const { watched } = await import(new URL('tests/support/looks.js', location.href).href);
  const ch = await lostWorkers(fault, 0, () => init({ threads: 2 }));
  const one = await init();
  const begun = ch.info.threads;
  const cache = ch.kvCache({ headDim: 4, capacity: 8 });
  const q = Float32Array.from({ length: 12 * 300 * 64 }, (_, x) => Math.sin(x * x));
  cache.append(new Float32Array(8).fill(2), new Float32Array(8).fill(1));
  const run = (engine) =>
    engine.attention(q, q, q, { heads: 12, headDim: 64, causal: true }).output;
  const want = run(one);
  let longest = 0;
  let same = true;
  for (let x = 0; x < 3 || (ch.info.threads > 1 && x < 1000); x++) {
    const { result, waited } = watched(() => run(ch));
    longest = Math.max(longest, waited);
    same &&= result.every((number, at) => Object.is(number, want[at]));
    await new Promise((done) => setTimeout(done, 5));
  }
  return { ...ch.info, begun, longest, same, kept: [...cache.read().k] };
};

/** An engine whose worker is never there, and whether it works. */
const begin = async (fault) => {
  const { init } = await import(new URL('web/bundled/library.js', location.href).href);
  const { lostWorkers } = await import(
    new URL('tests/engines/lost-workers.js', location.href).href
  );
  const ch = await lostWorkers(fault, 0, () => init({ threads: 2 }));
  const x = new Float32Array(8);
  return { ...ch.info, length: ch.attention(x, x, x, { headDim: 4 }).output.length };
};

const WORST = [
  ['inside', 'dies inside a piece'],
  ['asleep', 'falls asleep in the middle'],
];
/** In a long run; Node loses them in each. */
const OTHERS = [
  ['before', 'dies before its pieces'],
  ['after', 'dies after its pieces'],
];

for (const { name, missing, launch } of browsers)
  describe(`threads in ${name}`, { skip: missing }, () => {
    let browser;
    before(async () => (browser = await launch()));
    after(() => browser?.close());
    /** In a page with these headers. */
    const run = async (headers, f, argument) => {
      const site = await serve({ headers });
      try {
        return await inBlank(browser, site, f, argument);
      } finally {
        site.close();
      }
    };

    for (const [what, headers, threads, words] of [
      ['with isolation there are two, from the page’s own thread', ISOLATION, 2, /^$/],
      ['without isolation there is one', {}, 1, /isolated/],
      [
        'where the policy forbids workers there is one',
        { ...ISOLATION, 'content-security-policy': "worker-src 'none'" },
        1,
        /worker/,
      ],
      [
        'a strict policy that allows workers of the same origin is enough',
        { ...ISOLATION, ...STRICT },
        2,
        /^$/,
      ],
    ])
      test(what, async () => {
        const { result } = await run(headers, compare);
        assert.equal(result.threads, threads, result.why);
        assert.match(result.why, words);
        assert.ok(result.same, 'the bits of one thread');
      });

    for (const [fault, how] of repeats(WORST, [...WORST, ...OTHERS]))
      test(`a worker that ${how} costs one call less than 2 s, and nothing else`, async () => {
        const { result } = await run(ISOLATION, lose, fault);
        assert.equal(result.begun, 2, result.why);
        assert.equal(result.threads, 1);
        assert.match(result.why, /worker/);
        assert.ok(result.same, 'the bits of one thread');
        assert.deepEqual(result.kept, Array(8).fill(2));
        assert.ok(result.longest < 2000, `a call waited ${result.longest} ms`);
      });

    for (const [fault, how, words] of [
      ['start', 'fails to start', /refused|ended|worker/],
      ['silent', 'never answers', /did not answer within 5000 ms/],
    ])
      test(`a worker that ${how} leaves one thread`, async () => {
        const { result } = await run(ISOLATION, begin, fault);
        assert.deepEqual([result.threads, result.length], [1, 8]);
        assert.match(result.why, words);
      });
  });
