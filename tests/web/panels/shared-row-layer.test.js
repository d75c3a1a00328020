/** The head of a row beside all keys of its layer, and the verdicts on its bounds. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { keeps } from '../../../web/panels/sharing/checks.js';
import { lose } from '../../../web/panels/sharing/compute.js';
import { layerOf } from '../../../web/panels/sharing/layer.js';
import { letters } from '../../support/web/letters.js';
import { rowOf } from '../../support/web/model-row.js';

const LAYER = 2;
const HEAD = 5;
const T = 2;
/** More than the queries that are shown, and more than two parts of the reading. */
const LENGTH = 140;

let engine;
let model;
before(async () => {
  engine = await init({ layers: true });
  model = await loadModel(letters(), { engine });
});

const rowAt = (length) => rowOf(model, { layer: LAYER, head: HEAD, length, T });

/** The model with other facts in its configuration. */
const having = (facts) => ({
  config: { ...model.config, ...facts },
  cache: model.cache,
  intervene: (all) => model.intervene(all),
  prefill: (ids) => model.prefill(ids),
  row: (...place) => model.row(...place),
});
const going = () => new AbortController().signal;

describe('the layer of a row', () => {
  test('has the last queries, and the mean of all keys', async () => {
    const row = await rowAt(LENGTH);
    const { row: of, ids, heads, sets, looks } = await layerOf(model, row, going());
    const { headDim: d, kvHeads, attnScale } = model.config;
    assert.deepEqual(of, { layer: LAYER, head: HEAD, position: LENGTH - 1, T });
    assert.deepEqual([heads, sets, ids], [8, 2, row.ids]);
    assert.equal(looks.T, T / (attnScale * Math.sqrt(d)));
    assert.equal(looks.q.length, 32 * d);
    assert.deepEqual([...looks.q.slice(-d)], [...row.q]);
    assert.deepEqual([...looks.q.slice(0, d)], [...model.row(LAYER, HEAD, LENGTH - 32).q]);
    assert.deepEqual([...looks.k], [...row.k]);
    const all = Array.from({ length: kvHeads }, (_, g) => model.row(LAYER, 4 * g, LENGTH - 1));
    looks.shared.forEach((x, at) => assert.equal(x, (all[0].k[at] + all[1].k[at]) / 2));
    looks.sharedV.forEach((x, at) => assert.equal(x, (all[0].v[at] + all[1].v[at]) / 2));
  });

  test('has all queries of a short text, and fewer of a head with many channels', async () => {
    const short = await layerOf(model, await rowAt(3), going());
    assert.equal(short.looks.q.length, 3 * model.config.headDim);
    const long = await rowAt(40);
    const wide = await layerOf(having({ headDim: 256 }), long, going());
    assert.equal(wide.looks.q.length, 8 * model.config.headDim);
  });

  test('is refused where its scores are not those of all keys, with the reason', async () => {
    const row = await rowAt(12);
    const refused = async (facts, reason) =>
      assert.match(await layerOf(having(facts), row, going()), reason);
    await refused({ kvHeads: 1 }, /share their keys already/);
    await refused({ attnSoftcap: 50 }, /have a cap/);
    const local = (layer) => model.config.localLayers.map((_, at) => at === layer);
    await refused({ slidingWindow: 11, localLayers: local(LAYER) }, /sees a window only/);
    for (const facts of [
      { slidingWindow: 11, localLayers: local(LAYER + 1) },
      { slidingWindow: 12, localLayers: local(LAYER) },
    ])
      assert.equal(typeof (await layerOf(having(facts), row, going())), 'object');
  });

  test('is refused where the keys are not those of the row', async () => {
    const row = await rowAt(12);
    const other = row.k.slice();
    other[5] += 1;
    const longer = new Float32Array([...row.k, 0]);
    for (const k of [other, longer, undefined])
      assert.equal(await layerOf(model, { ...row, k }, going()), 'it is of another model');
  });

  test('is given up soon after the turn has ended', async () => {
    const row = await rowAt(LENGTH);
    const turn = new AbortController();
    let parts = 0;
    const slow = {
      ...having({}),
      prefill(ids) {
        parts++;
        turn.abort();
        return model.prefill(ids);
      },
    };
    assert.equal(await layerOf(slow, row, turn.signal), undefined);
    assert.equal(parts, 1);
  });

  test('changes as each of its queries changes, over the keys that it reads', async () => {
    const row = await rowAt(9);
    const { looks } = await layerOf(model, row, going());
    const theory = await engine.theory;
    const { measured, bounds, keys } = lose({ theory }, looks, 0.5);
    const { d, q, k, v, sharedV } = looks;
    const values = v.map((x, at) => x + 0.5 * (sharedV[at] - x));
    for (let i = 0; i < 9; i++) {
      const read = (all) => all.subarray(0, (i + 1) * d);
      const one = theory.sharedKeyBounds(
        q.subarray(i * d, (i + 1) * d),
        ...[read(k), read(keys), read(v)],
        { headDim: d, temperature: looks.T, sharedV: read(values) },
      );
      assert.equal(measured.weights2[i], one.measured.weights2[0]);
      for (const name of Object.keys(bounds))
        assert.equal(bounds[name].values[i], one.bounds[name].values[0], name);
    }
  });
});

describe('the verdict on a bound', () => {
  const bound = (values) => ({ values, violated: 0, vacuous: 0, slack: 2 });

  test('is that it is kept, or broken by a larger change or by none at all', () => {
    const verdictOn = (values, changes, vacuous = 0) =>
      keeps({ ...bound(values), vacuous }, changes, 'no look changes').verdict;
    assert.equal(verdictOn([1, 2], [0.5, 1]), 'slack');
    assert.equal(verdictOn([1, 2], [0, 0]), 'none');
    assert.equal(keeps(bound([1, 2]), [0, 0], 'no look changes').text, 'no look changes');
    assert.equal(verdictOn([1, 2], [0.5, 2.1]), 'violated');
    assert.equal(verdictOn([1, 2], [0.5, NaN]), 'violated');
    assert.equal(verdictOn([NaN, 2], [0, 0]), 'violated');
    assert.equal(verdictOn([1, 2], [0.5, 1], 1), 'vacuous');
  });
});
