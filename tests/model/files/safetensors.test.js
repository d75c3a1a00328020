/**
 * safetensors files, alone and in shards: their content is found, and nothing in them can do harm.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openModel } from '../../../src/js/model/files/open.js';
import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { inChunks, loadWhole, readWhole, refused, refuses } from '../../support/streams.js';
import { tinyConfig, tinyJson, tinyTensors } from '../../support/models/tiny-models.js';

const shared = new URL('../../../../shared/models/stories260K/', import.meta.url);
const skip = existsSync(shared) ? false : 'skipped, not present';
const folder = mkdtempSync(join(tmpdir(), 'clearhead-safetensors-'));
after(() => rmSync(folder, { recursive: true }));
const url = (name) => new URL(name, `${pathToFileURL(folder)}/`);
const save = (name, content) => writeFileSync(url(name), content);
const config = {};
const read = (weights) => readWhole({ weights, config });

describe('what is written is read', () => {
  test('tensors of every type and rank, empty ones, notes, names like __proto__', async () => {
    const tensors = [
      { name: '__proto__', shape: [], data: [7] },
      { name: 'constructor', dtype: 'F16', shape: [2, 3] },
      { name: 'é', dtype: 'BF16', shape: [1, 1, 1, 1, 1, 1, 1, 5] },
      { name: 'empty', shape: [0, 4] },
      { name: 'last', shape: [2], data: [1, 2] },
    ];
    const header =
      '{"__metadata__":{"format":"pt"},"__proto__":{"dtype":"F32","shape":[],' +
      '"data_offsets":[0,4]},"constructor":{"dtype":"F16","shape":[2,3],"data_offsets":[4,' +
      '16]},' +
      '"\\u00e9":{"dtype":"BF16","shape":[1,1,1,1,1,1,1,5],"data_offsets":[16,26]},' +
      '"empty":{"dtype":"F32","shape":[0,4],"data_offsets":[26,26]},"last":{"dtype":"F32",' +
      '"shape":[2],"data_offsets":[26,34]}}   ';
    const got = await read(writeSafetensors({ tensors, header }));
    assert.deepEqual(
      got.tensors.map(({ name, type, shape }) => [name, type, shape]),
      tensors.map(({ name, dtype = 'F32', shape }) => [name, dtype, shape]),
    );
    assert.deepEqual(new Float32Array(got.data.get('last').buffer), Float32Array.of(1, 2));
    assert.deepEqual(new Float32Array(got.data.get('__proto__').buffer), Float32Array.of(7));
  });

  test('arrival in chunks of 1 to 64 bytes gives the same as one piece', async () => {
    const { weights } = tinyJson('gemma3');
    const whole = await read(weights);
    for (let size = 1; size <= 64; size++)
      assert.deepEqual(await read(inChunks(weights, size)), whole, `chunks of ${size}`);
  });

  for (const name of ['hf', 'interleaved'])
    test(
      `the real file ${name}/model.safetensors, with what lies beside it`,
      { skip },
      async () => {
        const file = new URL(`${name}/model.safetensors`, shared);
        const bytes = readFileSync(file);
        const whole = await readWhole(file);
        assert.equal(whole.tensors.length, 47);
        for (const tensor of whole.tensors)
          assert.ok(
            bytes
              .subarray(tensor.offset, tensor.offset + tensor.bytes)
              .equals(whole.data.get(tensor.name)),
            tensor.name,
          );
        assert.equal(
          (await loadWhole(file)).config.ropeLayout,
          name === 'hf' ? 'half' : 'interleaved',
        );
      },
    );
});

describe('shards', () => {
  const tensors = tinyTensors('llama', 'json');
  const half = tensors.length >> 1;
  const shards = [tensors.slice(0, half), tensors.slice(half)].map((part) =>
    writeSafetensors({ tensors: part }),
  );
  const map = Object.fromEntries(
    tensors.map(({ name }, at) => [name, `model-0000${at < half ? 1 : 2}-of-00002.safetensors`]),
  );
  const index = (change = {}) =>
    JSON.stringify({ metadata: { total_size: 1 }, weight_map: { ...map, ...change } });
  save('config.json', JSON.stringify(tinyConfig('llama')));
  save('model-00001-of-00002.safetensors', shards[0]);
  save('model-00002-of-00002.safetensors', shards[1]);
  save('model.safetensors.index.json', index());

  test('by their index, or as a list, they are the whole model', async () => {
    const whole = await readWhole(tinyJson('llama'));
    for (const source of [
      url('model.safetensors.index.json'),
      { weights: url('model.safetensors.index.json'), config },
      { weights: shards, config },
    ]) {
      const got = await readWhole(source);
      assert.deepEqual([...got.data].sort(), [...whole.data].sort());
      assert.equal(
        (
          await loadWhole(
            source === undefined
              ? source
              : { ...(source.weights ? source : { weights: source }), config: tinyConfig('llama') },
          )
        ).config.layers,
        2,
      );
    }
  });

  test('what opens one file by its query opens those beside it', async () => {
    const server = createServer((request, response) => {
      const { pathname, search } = new URL(request.url, 'http://x');
      const file = url(`.${pathname}`);
      if (search !== '?token=a%20b' || !existsSync(file)) response.writeHead(403).end();
      else response.end(readFileSync(file));
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const at = `http://127.0.0.1:${server.address().port}/model.safetensors.index.json`;
      assert.equal((await loadWhole(`${at}?token=a%20b#here`)).config.layers, 2);
      await refuses(() => openModel(at), 'NET', /status 403/);
    } finally {
      server.close();
    }
  });

  for (const [name, change, code, message] of [
    [
      'a path in the index',
      { 'model.norm.weight': '../model-00001-of-00002.safetensors' },
      'FORMAT',
      /plain name of a .safetensors file/,
    ],
    [
      'an address in the index',
      { 'model.norm.weight': 'https://example.com/x.safetensors' },
      'FORMAT',
      /plain name/,
    ],
    ['something else in the index', { 'model.norm.weight': 3 }, 'FORMAT', /plain name/],
    [
      'a tensor no file has',
      { more: 'model-00001-of-00002.safetensors' },
      'FORMAT',
      /the index names more/,
    ],
    [
      'a tensor in the other file',
      {
        'model.norm.weight': 'model-00001-of-00002.safetensors',
        'model.embed_tokens.weight': 'model-00002-of-00002.safetensors',
      },
      'FORMAT',
      /not where the index says/,
    ],
    [
      'a missing file',
      { 'model.norm.weight': 'model-00003-of-00002.safetensors' },
      'NET',
      /could not be opened/,
    ],
  ])
    test(name, async () => {
      save('wrong.safetensors.index.json', index(change));
      await refuses(() => openModel(url('wrong.safetensors.index.json')), code, message);
    });

  test('one tensor in two files', () =>
    refuses(
      () => openModel({ weights: [shards[0], shards[0]], config }),
      'FORMAT',
      /in two files/,
    ));
  test('no files at all', () =>
    refuses(() => openModel({ weights: [], config }), 'ARG', /without weights/));
});

describe('what is wrong is refused by name', () => {
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
    'a tensor that is a number': ['{"a":1}', 'FORMAT', /described by something else/],
    'a field more': [
      `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}}`,
      'FORMAT',
      /described by something else/,
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
    await refuses(() => read(inChunks(bytes, 16)), 'FORMAT', /follows the last tensor/);
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

  test('every single flipped bit gives an error of ours or a model', async (t) => {
    let refusals = 0;
    for (let bit = 0; bit < weights.length * 8; bit++) {
      const damaged = weights.slice();
      damaged[bit >> 3] ^= 1 << (bit & 7);
      if (await refused(() => loadWhole({ ...model, weights: damaged }))) refusals++;
    }
    t.diagnostic(`${refusals} of ${weights.length * 8} refused`);
    assert.ok(refusals > 4000);
  });
});
