/** How many tokens of a prompt go through the layers together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decoder } from '../../../src/js/model/run/decoder.js';

/** SmolLM2-135M and Qwen3-0.6B, and a tiny one. */
const CHUNKED = [
  [3.5e6, 9, 64, 8192],
  [15.7e6, 16, 128, 40960],
  [1000, 2, 8, 512],
].map(([cost, heads, headDim, reach]) => ({
  cost,
  heads,
  headDim,
  reach,
  chunk: (length, remaining) =>
    Decoder.prototype.chunk.call({ cost, config: { heads, headDim } }, length, remaining),
}));

test('the further a prompt is read, the fewer tokens go together', () => {
  for (const { cost, heads, headDim, reach, chunk } of CHUNKED) {
    const layer = (length, count) => count * (cost + 2 * heads * headDim * (length + count));
    for (let length = 0, before = 256; length < reach; length += 64) {
      const largest = chunk(length, 1e9);
      assert.ok(
        largest <= before &&
          (largest === 8 ||
            (layer(length, largest) <= 1.25e9 &&
              (largest === 256 || layer(length, largest) > 2.5e8))),
        `${largest} behind ${length}, ${before} before`,
      );
      before = largest;
    }
  }
});

test('none of the chunks of a prompt is a small rest', () => {
  for (const { reach, chunk } of CHUNKED)
    for (const tokens of [1, 5, 8, 9, 255, 256, 257, 260, 510, 512, 896, 1025].filter(
      (count) => count < reach,
    ))
      for (let at = 0, count; at < tokens; at += count) {
        const remaining = tokens - at;
        const largest = chunk(at, 1e9);
        count = chunk(at, remaining);
        assert.ok(count % 4 === 0 && count <= largest, `${count} of ${remaining} behind ${at}`);
        assert.ok(
          count >= tokens || Math.min(count, remaining) >= largest / 2 - 4,
          `${count} of ${remaining} behind ${at}, of at most ${largest}`,
        );
      }
});
