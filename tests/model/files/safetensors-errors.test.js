/** Safetensors that are wrong or damaged are refused by name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { repeats } from '../../support/campaign.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { tinyJson } from '../../support/models/tiny-models.js';
import { inChunks, loadWhole, readWhole, refused, refuses } from '../../support/streams.js';

/** One bit of this number is flipped. A long run flips each of them. */
const ONE_OF = repeats(11, 1);

const config = {};
const read = (weights) => readWhole({ weights, config });

describe('each fault is refused by name', () => {
  const range = (begin, end, more = '') =>
    `{"a":{"dtype":"F32","shape":[2],"data_offsets":[${begin},${end}]}${more}}`;
  const entry = (dtype, shape, offsets) =>
    `{"a":{"dtype":${dtype},"shape":${shape},"data_offsets":${offsets}}}`;
  const data = [{ name: 'a', shape: [2] }];
  /** A header, the code of its error and the message. */
  const cases = {
    'a space before it': [
      ` ${range(0, 8)}`,
      'FORMAT',
      /neither|something else|GGUF or safetensors/,
    ],
    'text after it': [`${range(0, 8)}x`, 'FORMAT', /expected the end/],
    'no JSON': ['{nonsense}', 'FORMAT', /JSON header at character 1/],
    'a name twice': [
      '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32",' +
        '"shape":[2],"data_offsets":[0,8]}}',
      'FORMAT',
      /each name once/,
    ],
    'a name twice, once escaped': [
      '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"\\u0061":{"dtype":"F32",' +
        '"shape":[2],"data_offsets":[0,8]}}',
      'FORMAT',
      /each name once/,
    ],
    'a control character': ['{"a\n":1}', 'FORMAT', /a string/],
    'deep nesting': [`{"a":${'['.repeat(1e5)}`, 'FORMAT', /nesting of at most 8/],
    'a tensor that is a number': [
      '{"a":1}',
      'FORMAT',
      /described by 1; expected an object of dtype, shape and data_offsets/,
    ],
    'a field more': [
      `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`,
      'FORMAT',
      /described by an object of dtype, shape, data_offsets, x; expected an object of dtype, sh/,
    ],
    'another dtype': [
      entry('"F64"', '[1]', '[0,8]'),
      'FORMAT',
      /dtype of the tensor "a" is "F64"; expected F32, F16, BF16/,
    ],
    'a dtype in small letters': [entry('"f32"', '[2]', '[0,8]'), 'FORMAT', /"f32"/],
    'a dtype that is no text': [entry('[]', '[2]', '[0,8]'), 'FORMAT', /dtype/],
    'a shape in words': [entry('"F32"', '["2"]', '[0,8]'), 'FORMAT', /shape of the tensor/],
    'a shape that is none': [entry('"F32"', '2', '[0,8]'), 'FORMAT', /shape of the tensor/],
    'rank 9': [entry('"F32"', '[1,1,1,1,1,1,1,1,2]', '[0,8]'), 'LIMIT', /rank.*at most 8/],
    'a shape whose bytes wrap': [
      entry('"F32"', '[4294967296,4294967296]', '[0,0]'),
      'FORMAT',
      /shape of the tensor "a" is \(4294967296,4294967296\); expected fewer than 2\^53 bytes/,
    ],
    'a fraction': [
      entry('"F32"', '[2.0]', '[0,8]'),
      'FORMAT',
      /expected an object, an array, a string or a count/,
    ],
    'an exponent': [entry('"F32"', '[2e0]', '[0,8]'), 'FORMAT', /a count/],
    'a negative size': [entry('"F32"', '[-2]', '[0,8]'), 'FORMAT', /a count/],
    'minus zero': [entry('"F32"', '[2]', '[-0,8]'), 'FORMAT', /a count/],
    'a name that never ends': [
      `{"${'a'.repeat(2 ** 23)}`,
      'FORMAT',
      /character 1 is .*expected a string/,
    ],
    'one with an escape that never ends': [
      `{"${'a\\u00'.repeat(2 ** 20)}`,
      'FORMAT',
      /character 1 is .*expected a string/,
    ],
    'a line in a name': ['{"a\nb":1}', 'FORMAT', /expected a string/],
    'an escape there is not': ['{"a\\x":1}', 'FORMAT', /expected a string/],
    'a leading zero': [entry('"F32"', '[02]', '[0,8]'), 'FORMAT', /JSON header/],
    '2^53': [entry('"F32"', '[2]', '[0,9007199254740992]'), 'FORMAT', /below 2\^53/],
    'a range of one': [entry('"F32"', '[2]', '[8]'), 'FORMAT', /begin, end/],
    'a range backwards': [range(8, 0), 'FORMAT', /begin at most end/],
    'a range too short': [range(0, 4), 'FORMAT', /4 bytes apart; expected 8/],
    'a gap': [range(4, 12), 'FORMAT', /beginning of the tensor "a" is 4; expected 0/],
    'an overlap': [
      range(0, 8, ',"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}'),
      'FORMAT',
      /expected 8, where the one before it ends/,
    ],
    'more than the file has': [
      range(0, 8, ',"b":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}'),
      'INTEGRITY',
      /cut off/,
    ],
    'nothing named': ['{}', 'FORMAT', /rest of the file is 8 bytes; expected 0/],
    'notes that are no strings': [
      `{"__metadata__":{"a":1},${range(0, 8).slice(1)}`,
      'FORMAT',
      /object of strings/,
    ],
    'a long name': [
      range(0, 8).replace('"a"', `"${'a'.repeat(2000)}"`),
      'LIMIT',
      /2000 characters/,
    ],
  };
  for (const [name, [header, code, message]] of Object.entries(cases))
    test(name, async () => {
      const bytes = writeSafetensors({ tensors: data, header });
      await refuses(() => read(bytes), code, message);
      assert.ok(
        await refused(() => read(inChunks(bytes, bytes.length < 1e6 ? 5 : 4099))),
        'also when nobody says how long the file is',
      );
    });

  test('bytes after the last tensor', async () => {
    const bytes = Buffer.concat([writeSafetensors({ tensors: data }), Buffer.of(0)]);
    await refuses(() => read(bytes), 'FORMAT', /rest of the file is 9 bytes; expected 8/);
    await refuses(() => read(inChunks(bytes, 16)), 'FORMAT', /rest of the file is not empty/);
  });

  test('a header length that lies', async () => {
    for (const headerBytes of [
      0,
      1,
      2,
      1000,
      2 ** 24 + 1,
      2n ** 32n,
      2n ** 53n,
      2n ** 63n,
      2n ** 64n - 1n,
    ]) {
      const bytes = writeSafetensors({ tensors: data, headerBytes });
      assert.ok(await refused(() => read(bytes)), String(headerBytes));
      assert.ok(await refused(() => read(inChunks(bytes, 9))), `${headerBytes}, streamed`);
    }
  });

  test('invalid UTF-8 in the header', async () => {
    const bytes = writeSafetensors({ tensors: [{ name: 'abc', shape: [2] }] });
    bytes[bytes.indexOf(0x61)] = 0xff;
    await refuses(() => read(bytes), 'FORMAT', /not UTF-8/);
  });

  test('weights alone ask for the config', () =>
    refuses(() => openModel(tinyJson().weights), 'ARG', /config, tokenizer/));
  test('GGUF among shards', () =>
    refuses(
      () =>
        openModel({
          weights: [tinyJson().weights, Buffer.from(`GGUF\x03${'\0'.repeat(19)}`)],
          config,
        }),
      'FORMAT',
      /some of them GGUF/,
    ));
});

describe('damage', () => {
  const model = tinyJson('llama', {
    config: { num_hidden_layers: 1 },
    edit: (tensors) => tensors.filter(({ name }) => !name.includes('layers.1.')),
  });
  const { weights } = model;

  test('it loads as it is', async () =>
    assert.equal((await loadWhole(model)).tensors.layers.length, 1));

  test('a file cut off after any number of bytes is refused', async () => {
    for (let length = 0; length < weights.length; length++) {
      assert.match(
        (await refused(() => loadWhole({ ...model, weights: weights.subarray(0, length) }))).code,
        /INTEGRITY|FORMAT/,
      );
      assert.ok(
        await refused(() =>
          loadWhole({ ...model, weights: inChunks(weights.subarray(0, length), 97) }),
        ),
      );
    }
  });

  test(`a flipped bit, one of ${ONE_OF}, gives an error of ours or a model`, async (t) => {
    let refusals = 0;
    for (let bit = 0; bit < weights.length * 8; bit += ONE_OF) {
      const damaged = weights.slice();
      damaged[bit >> 3] ^= 1 << (bit & 7);
      if (await refused(() => loadWhole({ ...model, weights: damaged }))) refusals++;
    }
    t.diagnostic(`${refusals} of ${Math.ceil((weights.length * 8) / ONE_OF)} refused`);
    assert.ok(refusals > 4000 / ONE_OF);
  });
});
