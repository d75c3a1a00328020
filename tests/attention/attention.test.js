/** Every case of the table, on every variant, in both precisions, against the float64 reference. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { build, cases } from '../support/cases.js';
import { engines, withoutRelaxed } from '../support/engines.js';
import { argmaxExchanged, compare, mistrusted, nmse, precisions } from '../support/limits.js';
import { reference } from '../support/reference.js';

const types = { float32: Float32Array, float64: Float64Array };
const worst = {};
let elements = 0;
let rows = 0;
let exchanged = 0;

function record(list, key, name, broken) {
  for (const { what, ratio, at, got, want } of list) {
    if (!(ratio <= 1))
      broken.push(
        `${name}: ${what}[${at}] is ${got}, the reference says ${want}: ` +
          `${ratio.toFixed(2)} of the limit`,
      );
    const w = (worst[`${key} ${what}`] ??= { ratio: -1 });
    if (ratio > w.ratio) Object.assign(w, { ratio, name });
  }
}

test('no case expects mostly zeros unless it is marked so, or is undecided at T = 0', () => {
  assert.equal(new Set(cases.map((c) => c.name)).size, cases.length, 'names are unique');
  for (const c of cases) {
    const { q, k, v, options } = build(c, Float64Array);
    const ref = reference(q, k, v, options);
    const zeros = mistrusted(ref);
    assert.ok(
      options.temperature !== 0 || ref.margin.every((x) => !(x < 1e-4)),
      `${c.name}: who wins at T = 0 hangs on a rounding`,
    );
    assert.ok(
      c.empty === 'perhaps' || zeros === c.empty,
      `${c.name}: MISTRUSTED, expected zeros: ${zeros}, marked: ${c.empty}`,
    );
  }
});

for (const precision of ['float32', 'float64'])
  for (const { variant, ch } of engines)
    test(`every case is within the error rule: ${precision}, ${variant}`, () => {
      const broken = [];
      for (const c of cases) {
        const { q, k, v, options } = build(c, types[precision]);
        const ref = reference(q, k, v, options, precisions[precision].tiny);
        const key = `${precision} ${variant}`;
        for (const stage of ['raw', 'capped', 'masked']) {
          const result = ch.attention(q, k, v, {
            ...options,
            want: { weights: true, scores: stage, lse: true, stats: true },
          });
          record(compare(result, ref, precision, c.family === 'spike', stage), key, c.name, broken);
          elements +=
            result.output.length +
            result.weights.length +
            result.scores.length +
            7 * result.lse.length;
          exchanged += argmaxExchanged(result, ref);
          rows += result.lse.length;
          assert.equal(result.output.constructor, types[precision]);
        }
        const plain = ch.attention(q, k, v, options);
        record(compare(plain, ref, precision, c.family === 'spike'), key, c.name, broken);
        assert.deepEqual(Object.keys(plain), ['output'], 'what is not asked for is not returned');
        const square = nmse(plain.output, ref, precisions[precision].floor);
        if (ref.A.every((A) => A <= 32) && square > precisions[precision].nmse)
          broken.push(`${c.name}: NMSE ${square}`);
      }
      assert.ok(broken.length === 0, `${broken.length} broken:\n${broken.slice(0, 20).join('\n')}`);
    });

test('the largest key is the reference’s, but for ties within the error', () => {
  assert.ok(exchanged <= rows / 200, `${exchanged} of ${rows} rows name another key`);
});

after(() => {
  if (withoutRelaxed) console.log(withoutRelaxed);
  console.log(
    `${cases.length} cases, ${elements} results compared; argmax exchanged in ${exchanged} ` +
      `of ${rows} rows; worst error / limit:`,
  );
  for (const [what, { ratio, name }] of Object.entries(worst))
    console.log(`  ${ratio.toFixed(3)}  ${what}  (${name})`);
});
