/** GGUF files that are cut off or have a flipped bit give an error of ours or a model. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { repeats } from '../../support/campaign.js';
import { SIZES, tinyGguf } from '../../support/models/tiny-models.js';
import { inChunks, loadWhole, refused } from '../../support/streams.js';

/** One bit of this number is flipped. A long run flips each of them. */
const ONE_OF = repeats(11, 1);

const tiny = { ...SIZES, layers: 1, modelDim: 4, headDim: 2, ffnDim: 4 };

describe('damage', () => {
  const bytes = tinyGguf('llama', {
    sizes: tiny,
    metadata: { 'llama.rope.scaling.type': 'yarn', 'llama.rope.scaling.factor': 2 },
  });

  test('it loads as it is', async () => {
    const { config, tensors, encoded } = await loadWhole(bytes);
    assert.equal(config.layers, 1);
    assert.equal(tensors.layers[0].down.name, 'blk.0.ffn_down.weight');
    assert.deepEqual(encoded, [1, 8, 8, 4], 'ab first, since its score is the highest');
  });

  test('a file cut off anywhere is refused, whether its length is known or not', async () => {
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const error = await refused(() => loadWhole(cut));
      // the padding of the last tensor is not part of the model
      if (!error)
        assert.ok(
          bytes.subarray(length).every((byte) => byte === 0) && bytes.length - length < 32,
          `${length} bytes`,
        );
      else assert.match(error.code, /INTEGRITY|FORMAT/, error.message);
      const streamed = await refused(() => loadWhole(inChunks(cut, 101)));
      assert.equal(!streamed, !error, `${length} bytes, streamed`);
    }
  });

  test(`a flipped bit, one of ${ONE_OF}, gives an error of ours or a model`, async (t) => {
    let refusals = 0;
    for (let bit = 0; bit < bytes.length * 8; bit += ONE_OF) {
      const damaged = bytes.slice();
      damaged[bit >> 3] ^= 1 << (bit & 7);
      if (await refused(() => loadWhole(damaged))) refusals++;
    }
    t.diagnostic(`${refusals} of ${Math.ceil((bytes.length * 8) / ONE_OF)} refused`);
    assert.ok(refusals > 5000 / ONE_OF);
  });
});
