/**
 * The page can fail: engines that are wrong in one way each, and the statements that must say so,
 * those and no others.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { launch, missing, serve, shoot, statements, verdicts, visit } from './site.js';

const ALL = ['C0', 'C2', 'C3', 'C4', 'C5', 'C6', 'C1-float64', 'C1-float32', 'C18'];

/** One place of one file, changed. */
const edit = (path, from, to) => ({
  [path]: (text) => {
    assert.equal(text.split(from).length, 2, `${path} has one “${from}”`);
    return text.replace(from, to);
  },
});

/**
 * The engine behind another one that changes a call: `body` sees engine, q, k, v, o and returns a
 * result of attention.
 */
const wrap = (body) => ({
  'src/js/original.js': () =>
    readFileSync(new URL('../../src/js/index.js', import.meta.url), 'utf8'),
  'src/js/index.js': () => `
    export * from './original.js';
    import { init as start } from './original.js';
    export async function init(options) {
      const engine = await start(options);
      return { ...engine, attention(q, k, v, o) { ${body} } };
    }`,
});

/** Only the machine's calls; the other panels ask for one head. */
const machine = (body) => wrap(`if (!(o.heads > 1)) return engine.attention(q, k, v, o); ${body}`);

const MUTATIONS = [
  {
    name: 'a Gaussian of width σ² = T·d',
    change: edit(
      'src/js/theory/gaussian.js',
      '      temperature,\n      restore,',
      '      temperature * Math.sqrt(headDim),\n      restore,',
    ),
    red: ['C0', 'C1-float64', 'C1-float32', 'C18'],
  },
  {
    name: 'a key norm that is not restored',
    change: edit('src/js/theory/gaussian.js', '      restore,\n    );', '      0,\n    );'),
    red: ['C18'],
  },
  {
    name: 'a missing √d',
    change: machine('return engine.attention(q, k, v, { ...o, scale: 1 });'),
    red: ['C2'],
  },
  {
    name: 'a causal mask that is off by one',
    change: machine('return engine.attention(q, k, v, { ...o, offset: 1 });'),
    red: ['C2', 'C5'],
  },
  {
    name: 'groups in the wrong order',
    change: machine(`
      const turn = (x) => {
        const size = x.length / o.kvHeads;
        const out = x.slice();
        out.set(x.subarray(size));
        out.set(x.subarray(0, size), x.length - size);
        return out;
      };
      return o.kvHeads < o.heads && o.kvHeads > 1
        ? engine.attention(q, turn(k), turn(v), o)
        : engine.attention(q, k, v, o);`),
    red: ['C2', 'C4', 'C6'],
  },
  {
    name: 'weights of another temperature than the output’s',
    change: machine(
      'return engine.attention(q, k, v, o.want?.weights ? { ...o, temperature: 1.01 * ' +
        'o.temperature } : o);',
    ),
    red: ['C4'],
  },
  {
    name: 'rows that sum to 1.001',
    change: machine(
      'const r = engine.attention(q, k, v, o); r.weights &&= r.weights.map((p) => 1.001 * ' +
        'p); return r;',
    ),
    red: ['C3', 'C4'],
  },
  {
    name: 'one last bit that depends on sharing',
    change: machine(
      'const r = engine.attention(q, k, v, o); if (o.kvHeads < o.heads) new ' +
        'Int32Array(r.output.buffer)[5] ^= 1; return r;',
    ),
    red: ['C6'],
  },
  {
    name: 'a ρ that is one per cent off',
    change: wrap(
      'const r = engine.attention(q, k, v, o); if (r.stats && !(o.heads > 1)) r.stats.kl = ' +
        'r.stats.kl.map((x) => 1.01 * x); return r;',
    ),
    red: ['C0'],
  },
  {
    name: 'NaN where there is none',
    change: machine('const r = engine.attention(q, k, v, o); r.output[77] = NaN; return r;'),
    red: ['C2', 'C4'],
  },
];

describe('an engine that is wrong', { skip: missing }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  for (const { name, change, red } of MUTATIONS) {
    test(`${name} turns ${red.join(', ')} red and nothing else`, async () => {
      const site = await serve({ change });
      const { page } = await visit(browser, site);
      const expected = Object.fromEntries(
        ALL.map((id) => [id, red.includes(id) ? 'violated' : 'holds']),
      );
      assert.deepEqual(await verdicts(page), expected);
      for (const id of red) {
        assert.match((await statements(page))[id].text, /^✗ violated/);
        assert.ok(
          await page
            .locator(`#statement-${id}`)
            .getByRole('button', { name: 'copy a report' })
            .isVisible(),
        );
      }
      if (red.includes('C1-float64')) await shoot(page, 'violated');
      await page.close();
      await site.close();
    });
  }

  test('every statement has a mutation that reddens it', () => {
    assert.deepEqual([...new Set(MUTATIONS.flatMap(({ red }) => red))].sort(), [...ALL].sort());
  });
});
