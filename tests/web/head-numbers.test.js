/** The numbers that the page shows of each head; a long run looks in each browser. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { headInputs } from '../../web/math/data.js';
import { repeats } from '../support/campaign.js';
import { attentionWeights, average, dot, rows, sum } from './recompute.js';
import { ask } from './browsers.js';
import { browsers, close, go, opened, statements } from './site.js';

const ε = 2 ** -23;

/**
 * Recomputes the head `h` in float64, and compares its part of `output`. For each query it gives
 * the weights and their tolerance. For the head it gives the means of ρ and entropy. `largest` is
 * the largest error of an element, and `worst` the largest in relation to its limit.
 */
function recompute({ H, G, n, d, T, causal, reach, q, k, v }, h, output) {
  const group = Math.floor(h / (H / G));
  const own = (flat) => rows(flat, d).slice(group * n, (group + 1) * n);
  const [keys, values] = [own(k), own(v)];
  const magnitudes = values.map((row) => row.map(Math.abs));
  const perQuery = rows(q, d)
    .slice(h * n, (h + 1) * n)
    .map((query, i) => {
      const reads = (j) => !(causal && j > i) && Math.abs(i - j) <= reach;
      const { weights, kl, entropy } = attentionWeights(query, keys, T, reads);
      const products = keys.map((key, j) =>
        reads(j) ? dot(query.map(Math.abs), key.map(Math.abs)) / Math.sqrt(d) / T : 0,
      );
      const tolerance = ε * (4 + 2 * Math.max(...products));
      const exact = average(weights, values);
      const mass = average(weights, magnitudes);
      const apart = exact.map((x, c) => Math.abs(output[(h * n + i) * d + c] - x));
      const allowed = apart.map((x, c) => x / (tolerance * mass[c]));
      return { weights, reads, kl, entropy, tolerance, apart, allowed };
    });
  return {
    perQuery,
    rho: sum(perQuery.map(({ kl }) => kl)) / n,
    entropy: sum(perQuery.map(({ entropy }) => entropy)) / n,
    largest: Math.max(...perQuery.flatMap(({ apart }) => apart)),
    worst: Math.max(...perQuery.flatMap(({ allowed }) => allowed)),
  };
}

/** The weights in the table of the pinned map; null where a cell is masked. */
async function shownWeights(page) {
  await page.focus('.pinned .map-cursor');
  await page.keyboard.press('t');
  const shown = await page.$$eval('#many-heads-panel .map-table tbody tr', (trs) =>
    trs.map((tr) =>
      [...tr.querySelectorAll('td')].map((td) =>
        td.className === 'masked' ? null : Number(td.dataset.value),
      ),
    ),
  );
  await page.keyboard.press('t');
  return shown;
}

/** The output of the page's engine for a state of the page. */
async function outputOf(page, { H, G, d, T, causal, reach, q, k, v }) {
  const { output } = await ask(page, 'attention', [q, k, v], {
    heads: H,
    kvHeads: G,
    headDim: d,
    temperature: T,
    causal,
    window: [reach, reach],
  });
  return output;
}

const states = [
  { H: 4, G: 2, n: 32, d: 16, T: 1, causal: true, reach: 256, seed: 3 },
  { H: 6, G: 1, n: 20, d: 5, T: 0.3, causal: false, reach: 4, seed: 4 },
].map((state) => ({ ...state, ...headInputs({ ...state, kind: 'patterns' }) }));

/** Shows a state with its head 1 pinned. */
const show = (page, { H, G, n, d, T, causal, reach, seed }) =>
  go(page, `#H=${H}&G=${G}&n=${n}&d=${d}&T=${T}&c=${+causal}&w=${reach}&seed=${seed}&h=1&at=3_2`);

for (const { name, missing, launch } of repeats(browsers.slice(0, 1), browsers))
  describe(`the numbers in ${name}`, { skip: missing }, () => {
    let page;
    opened(
      (visited) => ({ page } = visited),
      () => launch({ types: true }),
      { panels: ['many-heads'] },
    );

    for (const state of states)
      describe(`of ${state.H} heads and ${state.G} kv heads at T = ${state.T}`, () => {
        let heads;
        before(async () => {
          await show(page, state);
          const output = await outputOf(page, state);
          heads = Array.from({ length: state.H }, (_, h) => recompute(state, h, output));
        });

        test('weights of the pinned head are those of float64, masked cells none', async () => {
          const shown = await shownWeights(page);
          heads[1].perQuery.forEach(({ weights, reads, tolerance }, i) =>
            weights.forEach((weight, j) => {
              const cell = `cell ${i}, ${j}`;
              if (reads(j)) close(shown[i][j], weight, tolerance, cell);
              else assert.equal(shown[i][j], null, `${cell} is masked`);
            }),
          );
        });

        test('ρ and the entropy of each head are those of float64', async () => {
          const captions = await page.$$eval('.head figcaption', (all) =>
            all.map(({ dataset }) => [Number(dataset.rho), Number(dataset.entropy)]),
          );
          heads.forEach(({ rho, entropy }, h) => {
            close(captions[h][0], rho, 1e-4, `ρ of head ${h}`, 1e-5);
            close(captions[h][1], entropy, 1e-4, `H of head ${h}`, 1e-5);
          });
        });

        test('the displayed error of the output is right, and below its rule', async () => {
          const { C2 } = await statements(page);
          const worst = Math.max(...heads.map((head) => head.worst));
          const largest = Math.max(...heads.map((head) => head.largest));
          close(C2.max, largest, 1e-6, 'max|O − oracle|');
          close(C2.ratio, worst, 1e-6, 'the worst element against its allowance');
          assert.ok(worst < 1);
        });
      });
  });
