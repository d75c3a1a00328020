/** GGUF files that are wrong are refused by name. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openModel } from '../../../src/js/model/files/open.js';
import { worked } from '../../support/clock.js';
import { Bytes, writeGguf } from '../../support/models/gguf-writer.js';
import { inChunks, readWhole, refused, refuses } from '../../support/streams.js';

describe('each fault is refused by name', () => {
  const one = { name: 'a', shape: [8] };
  const two = { name: 'b', shape: [8] };
  /** The fault of a file, the code of its error and the message. */
  const cases = {
    'version 1': [{ version: 1 }, 'FORMAT', /version is 1; expected 2 or 3/],
    'version 4': [{ version: 4 }, 'FORMAT', /version is 4/],
    'big-endian': [{ version: 3 << 24 }, 'FORMAT', /big-endian/],
    'more tensors than can be': [
      { tensorCount: 2n ** 64n - 1n },
      'INTEGRITY',
      /number of tensors is 18446744073709551615/,
    ],
    'more tensors than bytes': [{ tensorCount: 1000 }, 'INTEGRITY', /number of tensors is 1000/],
    'more keys than bytes': [{ keyCount: 2 ** 40 }, 'INTEGRITY', /number of metadata keys is/],
    'one key more than there is': [
      { metadata: { key: 'x'.repeat(30) }, keyCount: 2 },
      'FORMAT',
      /byte 85: a metadata key is ""/,
    ],
    'a key twice': [
      {
        metadata: [
          ['k', 1],
          ['k', 2],
        ],
      },
      'FORMAT',
      /the metadata key k is there twice/,
    ],
    'an empty key': [{ metadata: { '': 1 } }, 'FORMAT', /metadata key is ""/],
    'a key with a control character': [{ metadata: { 'a\n': 1 } }, 'FORMAT', /printable ASCII/],
    'an unknown value type': [
      { metadata: { k: { type: 13, value: 0 } } },
      'FORMAT',
      /type of k is 13/,
    ],
    'a truth value of 2': [
      { metadata: { k: { type: 'bool', value: 2 } } },
      'FORMAT',
      /truth value of k is 2/,
    ],
    'arrays nested 5 deep': [
      {
        metadata: {
          k: {
            type: 'array',
            value: ['array', [['array', [['array', [['array', [['u8', []]]]]]]]]],
          },
        },
      },
      'LIMIT',
      /nested 5 deep/,
    ],
    'arrays of arrays without end': [
      { metadata: { k: { type: 'array', value: ['array', Array(4096).fill(['u8', []])] } } },
      'LIMIT',
      /k is one array too many; expected at most 4096/,
    ],
    'an array of unknown things': [
      { metadata: { k: { type: 'array', value: [77, []] } } },
      'FORMAT',
      /element type of k is 77/,
    ],
    'invalid UTF-8': [
      { metadata: { k: { type: 'string', value: Uint8Array.of(0x61, 0xff) } } },
      'FORMAT',
      /k is not UTF-8/,
    ],
    'a UTF-8 surrogate': [
      { metadata: { k: { type: 'string', value: Uint8Array.of(0xed, 0xa0, 0x80) } } },
      'FORMAT',
      /not UTF-8/,
    ],
    'an alignment of 0': [
      { metadata: { 'general.alignment': 0 } },
      'FORMAT',
      /general.alignment is 0/,
    ],
    'an alignment of 48': [
      { metadata: { 'general.alignment': 48 } },
      'FORMAT',
      /general.alignment is 48/,
    ],
    'an alignment of 2^31': [
      { metadata: { 'general.alignment': 2 ** 31 } },
      'FORMAT',
      /power of two up to 65536/,
    ],
    'an alignment in words': [
      { metadata: { 'general.alignment': '32' } },
      'FORMAT',
      /general.alignment/,
    ],
    'a tensor twice': [{ tensors: [one, { ...one }] }, 'FORMAT', /the tensor "a" is there twice/],
    'no dimensions': [{ tensors: [{ ...one, dims: [] }, two] }, 'FORMAT', /dimensions of a is 0/],
    'five dimensions': [
      { tensors: [{ ...one, dims: [1, 1, 1, 1, 8] }] },
      'FORMAT',
      /dimensions of a is 5/,
    ],
    'a size of 0': [{ tensors: [{ ...one, dims: [8, 0] }] }, 'FORMAT', /shape of a/],
    'a size of 2^64 − 1': [{ tensors: [{ ...one, dims: [-1] }] }, 'FORMAT', /shape of a/],
    'sizes whose product wraps to 0': [
      { tensors: [{ ...one, dims: [2n ** 32n, 2n ** 32n] }] },
      'FORMAT',
      /a size that can be counted/,
    ],
    'rows of half blocks': [
      { tensors: [{ name: 'a', type: 'Q8_0', shape: [2, 48], data: new Uint8Array(102) }] },
      'FORMAT',
      /\(2,48\) of Q8_0.*whole blocks/,
    ],
    'a removed type': [
      { tensors: [{ ...one, type: 4 }] },
      'FORMAT',
      /type of a is Q4_2; expected F32/,
    ],
    IQ2_XS: [{ tensors: [{ ...one, type: 17 }] }, 'FORMAT', /IQ2_XS/],
    'an unknown type': [{ tensors: [{ ...one, type: 999 }] }, 'FORMAT', /number 999/],
    'an unaligned offset': [
      { tensors: [one, { ...two, offset: 33 }] },
      'FORMAT',
      /offset of b is 33; expected a multiple of 32/,
    ],
    'overlapping tensors': [
      {
        tensors: [
          { name: 'a', shape: [16] },
          { ...two, offset: 32 },
        ],
      },
      'FORMAT',
      /offset of b is 32, inside a/,
    ],
    'the same place twice': [{ tensors: [one, { ...two, offset: 0 }] }, 'FORMAT', /inside a/],
    'an offset beyond the end': [
      { tensors: [one, { ...two, offset: 2 ** 40 }] },
      'INTEGRITY',
      /end of b/,
    ],
    'an offset of 2^64 − 32': [
      { tensors: [one, { ...two, offset: -32 }] },
      'FORMAT',
      /offset of b/,
    ],
    'a tensor longer than the file': [
      { tensors: [{ ...one, dims: [2 ** 30] }] },
      'INTEGRITY',
      /cut off or damaged/,
    ],
  };

  test('more values in arrays than a vocabulary has, whatever their types', async () => {
    const bools = (...counts) =>
      counts
        .reduce(
          (file, count, at) =>
            file.string(`k${at}`).u32(9).u32(7).u64(count).raw(new Uint8Array(count)),
          new Bytes().raw(new TextEncoder().encode('GGUF')).u32(3).u64(0).u64(counts.length),
        )
        .done();
    assert.equal(
      (await readWhole(bools(2 ** 22 - 2049, 1))).metadata.get('k0').length,
      2 ** 22 - 2049,
    );
    await refuses(
      () => readWhole(bools(2 ** 22 - 2049, 2)),
      'LIMIT',
      /the length of k1 is 2; expected at most 1$/,
    );
    await refuses(
      () => readWhole(bools(2 ** 24)),
      'LIMIT',
      /the length of k0 is 16777216; expected at most 4193280$/,
    );
  });

  for (const [name, [content, code, message]] of Object.entries(cases))
    test(name, async () => {
      const bytes = writeGguf(content);
      await refuses(() => readWhole(bytes), code, message);
      const streamed = await refused(() => readWhole(inChunks(bytes, 7)));
      assert.ok(streamed, 'also when nobody says how long the file is');
    });

  test('lengths that lie, of keys, texts and arrays', async () => {
    for (const length of [2n ** 64n - 1n, 2n ** 63n, 2 ** 53, 2 ** 32, 2 ** 31, 65536, 1000])
      for (const lie of ['key', 'text', 'array', 'name']) {
        const out = new Bytes()
          .raw(new TextEncoder().encode('GGUF'))
          .u32(3)
          .u64(lie === 'name' ? 1 : 0)
          .u64(lie === 'name' ? 0 : 1);
        if (lie === 'name') out.string('a'.repeat(40), length);
        else out.string('key', lie === 'key' ? length : undefined).u32(lie === 'array' ? 9 : 8);
        if (lie === 'text') out.string('abc', length);
        if (lie === 'array') out.array(['u8', [1, 2]], length);
        const error = await refused(() => readWhole(out.done()));
        assert.match(error.code, /FORMAT|LIMIT|INTEGRITY/);
        const streamed = await refused(() => readWhole(inChunks(out.done(), 64)));
        assert.match(streamed.code, /FORMAT|LIMIT|INTEGRITY/);
      }
  });

  test('a file of another kind is called by that kind', async () => {
    const of = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
    for (const [text, name] of [
      ['<!doctype html><p>', /web page/],
      ['\n <html><body>', /web page/],
      ['version https://git-lfs.github.com/spec/v1\n', /Git LFS/],
      ['CLEARTRN\x01', /a checkpoint \(for resume of clearhead\/train\)/],
      ['PK\x03\x04 and more', /ZIP/],
      ['\x80\x02}q\x00xxxxx', /pickle/],
      ['\x1f\x8b\x08 and more', /gzip/],
      ['tjgg and more', /older than GGUF/],
      ['{"error": "no"}', /JSON/],
      ['something', /something else/],
    ])
      await refuses(() => openModel(of(text)), 'FORMAT', name);
    await refuses(() => openModel(new Uint8Array()), 'INTEGRITY', /ends at 0/);
    await refuses(() => openModel(of('GGUF')), 'INTEGRITY', /ends at 4/);
  });

  test('a million empty strings cost no more than their bytes allow', async () => {
    const out = new Bytes()
      .raw(new TextEncoder().encode('GGUF'))
      .u32(3)
      .u64(0)
      .u64(1)
      .string('k')
      .u32(9)
      .u32(8)
      .u64(1e6)
      .raw(new Uint8Array(8e6));
    const before = worked();
    const { metadata } = await readWhole(out.done());
    assert.equal(metadata.get('k').length, 1e6);
    assert.ok(worked() - before < 5000);
  });
});
