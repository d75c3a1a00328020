/** A model in several files. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { tinyConfig, tinyJson, tinyTensors } from '../../support/models/tiny-models.js';
import { readWhole, refuses } from '../../support/streams.js';

describe('a model in several files', () => {
  const tensors = tinyTensors('llama', 'json');
  const count = 9;
  const whole = tinyJson('llama').weights;
  const shards = Array.from({ length: count }, (_, at) =>
    writeSafetensors({ tensors: tensors.filter((_, x) => x % count === at) }),
  );
  const place = (at) => `part-${at}.safetensors`;
  const index = {
    weight_map: Object.fromEntries(tensors.map(({ name }, x) => [name, place(x % count)])),
  };
  const contents = (parts) =>
    new Map([
      ['/m/model.safetensors.index.json', JSON.stringify(index)],
      ['/m/config.json', JSON.stringify(tinyConfig('llama'))],
      ...parts.map((part, at) => [`/m/${place(at)}`, part]),
    ]);

  /**
   * As a browser fetches: six connections to a server, and further requests wait. A connection is
   * free when a body has ended or is cancelled.
   */
  async function within(six, files, load) {
    const { fetch } = globalThis;
    const waiting = [];
    let free = six;
    const release = () => (free++, waiting.shift()?.());
    globalThis.fetch = async (url) => {
      if (!free) await new Promise((go) => waiting.push(go));
      free--;
      const found = files(new URL(url).pathname);
      const content = typeof found === 'string' ? new TextEncoder().encode(found) : found;
      let at = 0;
      const pull = (controller) =>
        at < (content?.length ?? 0)
          ? controller.enqueue(content.slice(at, (at += 400)))
          : (controller.close(), release());
      return new Response(new ReadableStream({ pull, cancel: release }, { highWaterMark: 0 }), {
        status: content ? 200 : 404,
      });
    };
    try {
      return await load('http://models.test/m/model.safetensors.index.json');
    } finally {
      globalThis.fetch = fetch;
    }
  }

  test(
    'is read over the six connections of a browser, and its progress counts each byte once',
    { timeout: 20000 },
    async () => {
      const seen = [];
      const files = contents(shards);
      const { data } = await within(
        6,
        (path) => files.get(path),
        (url) => readWhole(url, { onProgress: (x) => seen.push(x) }),
      );
      const { data: wanted } = await readWhole({ weights: whole, config: tinyConfig('llama') });
      assert.deepEqual(new Map([...data].sort()), new Map([...wanted].sort()));
      const total = shards.reduce((sum, { length }) => sum + length, 0);
      assert.deepEqual(seen.at(-1), { loaded: total, total });
      // one report may bring nothing but the total, when the last header is read
      const again = seen.filter(({ loaded }, at) => at && loaded <= seen[at - 1].loaded);
      assert.deepEqual(again, [{ loaded: again[0]?.loaded, total }]);
      assert.ok(seen.every(({ loaded }, at) => !at || loaded >= seen[at - 1].loaded));
    },
  );

  test('is not one of its files', async () => {
    for (const file of [
      'model-00001-of-00002.safetensors',
      'model-00010-of-00012.safetensors?download=true',
    ])
      await refuses(
        () => readWhole(`http://models.test/${file}`),
        'ARG',
        /^source is .*-of-\d+\.safetensors, one file of several; .* model.safetensors.index.json/,
      );
    const files = contents(shards);
    const whole = new Map([
      ['/m/model-00001-of-00001.safetensors', tinyJson('llama').weights],
      ['/m/config.json', files.get('/m/config.json')],
    ]);
    assert.ok(
      await within(
        6,
        (path) => whole.get(path),
        () => readWhole('http://models.test/m/model-00001-of-00001.safetensors'),
      ),
    );
  });

  test('that changes while it is read is told so', async () => {
    const files = contents(shards);
    const other = writeSafetensors({
      tensors: [
        ...tensors.filter((_, x) => x % count === 5),
        { name: 'more', shape: [2], data: new Float32Array(2) },
      ],
    });
    let asked = 0;
    const get = (path) => (path.endsWith(place(5)) && asked++ ? other : files.get(path));
    await refuses(() => within(6, get, readWhole), 'INTEGRITY', /part-5.safetensors has changed/);
  });
});
