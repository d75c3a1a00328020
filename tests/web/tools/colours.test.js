/** The colours of the page, for eyes with all cones or without one: the numbers of docs/page.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contrast } from '../../support/web/contrast.js';
import { channels, difference, lab, VISIONS } from '../../support/web/vision.js';
import { NAN_COLOUR, table } from '../../../web/plot/colour.js';

const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const TOKENS = read('web/styles/tokens.css');
const DOCS = read('docs/page.md');
const THEMES = ['light', 'dark'];

/** The names of a theme: those of the first block, some of them as the dark one has them. */
function tokens(theme) {
  const [first, dark] = TOKENS.split("data-theme='dark'] {");
  const block = theme === 'dark' ? first + dark.slice(0, dark.indexOf('}')) : first;
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#\w{6});/g)].map(([, name, value]) => [name, value]),
  );
}

const rgb = (hex) => `rgb(${channels(hex)})`;
const rampOf = (name, theme) => {
  const colours = table(name, theme === 'dark');
  return Array.from({ length: 256 }, (_, at) => colours.subarray(3 * at, 3 * at + 3));
};
/** The smallest in any vision of the differences that `pairs` lists. */
const smallest = (pairs) =>
  Math.min(
    ...VISIONS.flatMap((vision) =>
      pairs.map(([a, b]) => difference(lab(a, vision), lab(b, vision))),
    ),
  );

/** The rows of the table in docs/page.md. */
const FOUND = {
  'query, key and value, from each other': (theme) => {
    const { q, k, v } = tokens(theme);
    return smallest(
      [
        [q, k],
        [q, v],
        [k, v],
      ].map((pair) => pair.map(channels)),
    );
  },
  'below and above 0, by a tenth of the scale': (theme) => {
    const ramp = rampOf('difference', theme);
    // and by more
    return smallest(Array.from({ length: 115 }, (_, at) => [ramp[114 - at], ramp[141 + at]]));
  },
  'NaN, from any weight': (theme) =>
    smallest(
      ['weights', 'difference'].flatMap((name) =>
        rampOf(name, theme).map((each) => [each, channels(NAN_COLOUR)]),
      ),
    ),
};

test('the distance of two colours is that of the examples that were published with it', () => {
  for (const [one, other, expected] of [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ])
    assert.equal(difference(one, other).toFixed(4), expected.toFixed(4));
});

for (const theme of THEMES) {
  test(`a larger weight is darker on light and lighter on dark, for all eyes, ${theme}`, () => {
    for (const vision of VISIONS) {
      const lightness = rampOf('weights', theme).map((each) => lab(each, vision)[0]);
      const steps = lightness.slice(1).map((each, at) => each - lightness[at]);
      const forward = theme === 'dark' ? 1 : -1;
      // a byte is rounded: two steps of the 256 may be alike, and eight may not
      for (let at = 0; at + 8 < 256; at++)
        assert.ok(forward * (lightness[at + 8] - lightness[at]) > 0, `${vision}, step ${at}`);
      assert.ok(
        steps.every((each) => forward * each > -0.5),
        vision,
      );
    }
  });

  test(`the farther from 0, the farther from the paper, for all eyes, ${theme}`, () => {
    for (const vision of VISIONS) {
      const ramp = rampOf('difference', theme).map((each) => lab(each, vision)[0]);
      const away = theme === 'dark' ? 1 : -1;
      for (let at = 128; at + 8 < 256; at++) {
        assert.ok(away * (ramp[at + 8] - ramp[at]) > 0, `${vision}, above, step ${at}`);
        assert.ok(away * (ramp[247 - at] - ramp[255 - at]) > 0, `${vision}, below, step ${at}`);
      }
    }
  });

  test(`colours are as far apart as docs/page.md says, ${theme}`, () => {
    for (const [name, of] of Object.entries(FOUND)) {
      const [, ...cells] = DOCS.match(`\\| ${name} \\| ([\\d.]+) \\| ([\\d.]+) \\|`) ?? [];
      assert.equal(cells[THEMES.indexOf(theme)], of(theme).toFixed(1), `${name}, ${theme}`);
    }
  });

  test(`the letters of a word that has the whole look stand out, ${theme}`, () => {
    const largest = Number(
      / \((\d+)% - var\(--faint\)\)/.exec(read('web/panels/look/style.css'))[1],
    );
    const { ink, k, paper } = tokens(theme);
    const mixed = channels(k).map(
      (c, at) => (largest * c + (100 - largest) * channels(paper)[at]) / 100,
    );
    const found = contrast(rgb(ink), `rgb(${mixed})`);
    assert.ok(found >= 4.5, found.toFixed(2));
  });

  test(`words and signs stand out from the paper, ${theme}`, () => {
    const { paper, 'paper-2': second, nan: _, rule: __, ...others } = tokens(theme);
    for (const [name, colour] of Object.entries(others)) {
      const enough = ['control', 'focus'].includes(name) ? 3 : 4.5;
      for (const under of [paper, second]) {
        // no words are in the blue of the query there
        if (under === second && name === 'q' && theme === 'light') continue;
        const found = contrast(rgb(colour), rgb(under));
        assert.ok(found >= enough, `${name} on ${under}: ${found.toFixed(2)}`);
      }
    }
  });
}
