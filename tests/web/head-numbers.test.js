/** The numbers that the page shows of each head. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headInputs } from '../../web/data.js';
import { attentionWeights, average, dot, rows, sum } from './recompute.js';
import { browsers, close, go, opened, statements } from './site.js';

/**
 * The result of the page's engine for these inputs. Arrays travel as plain lists: float32 and
 * float64 are exact in them.
 */
const ask = (page, call, arrays, options) =>
  page.evaluate(
    async ([call, arrays, Type, options]) => {
      const { init } = await import('../src/js/index.js');
      const engine = await init();
      const Floats = globalThis[Type];
      const target = call === 'attention' ? engine : await engine.theory;
      const result = target[call](...arrays.map((list) => Floats.from(list)), options);
      return Object.fromEntries(
        Object.entries(result).map(([name, value]) => [
          name,
          ArrayBuffer.isView(value) ? Array.from(value) : value,
        ]),
      );
    },
    [call, arrays.map((list) => Array.from(list)), arrays[0].constructor.name, options],
  );

for (const { name, missing, launch } of browsers)
  describe(`the numbers in ${name}`, { skip: missing }, () => {
    let page;
    opened((visited) => ({ page } = visited), launch);

    test('all weights, ρ and entropies of a head, and the error of the fused output', async () => {
      for (const { H, G, n, d, T, causal, reach, seed } of [
        { H: 4, G: 2, n: 32, d: 16, T: 1, causal: true, reach: 256, seed: 3 },
        { H: 6, G: 1, n: 20, d: 5, T: 0.3, causal: false, reach: 4, seed: 4 },
      ]) {
        await go(
          page,
          `#H=${H}&G=${G}&n=${n}&d=${d}&T=${T}&c=${+causal}&w=${reach}&seed=${seed}&h=1&at=3_2`,
        );
        const { q, k, v } = headInputs({ seed, H, G, n, d, kind: 'patterns' });
        const ε = 2 ** -23;
        const [queries, keys, values] = [rows(q, d), rows(k, d), rows(v, d)];
        await page.focus('.pinned .map-cursor');
        await page.keyboard.press('t');
        const shown = await page.$$eval('#machine-panel .map-table tbody tr', (trs) =>
          trs.map((tr) =>
            [...tr.querySelectorAll('td')].map((td) =>
              td.className === 'masked' ? null : Number(td.dataset.value),
            ),
          ),
        );
        await page.keyboard.press('t');
        const options = {
          heads: H,
          kvHeads: G,
          headDim: d,
          temperature: T,
          causal,
          window: [reach, reach],
        };
        const { output } = await ask(page, 'attention', [q, k, v], options);
        const captions = await page.$$eval('.head figcaption', (all) =>
          all.map(({ dataset }) => [Number(dataset.rho), Number(dataset.entropy)]),
        );
        let worst = 0;
        let largest = 0;
        for (let h = 0; h < H; h++) {
          const group = Math.floor(h / (H / G));
          const own = (list) => list.slice(group * n, (group + 1) * n);
          const commitments = [];
          const entropies = [];
          for (let i = 0; i < n; i++) {
            const reads = (j) => !(causal && j > i) && Math.abs(i - j) <= reach;
            const query = queries[h * n + i];
            const { weights, kl, entropy } = attentionWeights(query, own(keys), T, reads);
            const A = Math.max(
              ...own(keys).map((key, j) =>
                reads(j) ? dot(query.map(Math.abs), key.map(Math.abs)) / Math.sqrt(d) / T : 0,
              ),
            );
            commitments.push(kl);
            entropies.push(entropy);
            const exact = average(weights, own(values));
            const mass = average(
              weights,
              own(values).map((row) => row.map(Math.abs)),
            );
            for (let c = 0; c < d; c++) {
              const apart = Math.abs(output[(h * n + i) * d + c] - exact[c]);
              largest = Math.max(largest, apart);
              worst = Math.max(worst, apart / (ε * mass[c] * (4 + 2 * A)));
            }
            if (h !== 1) continue;
            for (let j = 0; j < n; j++) {
              if (!reads(j)) assert.equal(shown[i][j], null, `cell ${i}, ${j} is masked`);
              else close(shown[i][j], weights[j], ε * (4 + 2 * A), `displayed weight ${i}, ${j}`);
            }
          }
          close(captions[h][0], sum(commitments) / n, 1e-4, `ρ of head ${h}`, 1e-5);
          close(captions[h][1], sum(entropies) / n, 1e-4, `H of head ${h}`, 1e-5);
        }
        const { C2 } = await statements(page);
        close(C2.max, largest, 1e-6, 'max|O − oracle|');
        close(C2.ratio, worst, 1e-6, 'the worst element against its allowance');
        assert.ok(worst < 1);
      }
    });
  });
