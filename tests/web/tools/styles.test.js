/** The styles of the page: a hue has one meaning, and no rule is left over. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../../../web', import.meta.url));
const files = (ending) =>
  readdirSync(WEB, { recursive: true }).filter((path) => path.endsWith(ending));
const read = (path) => readFileSync(join(WEB, path), 'utf8');

/** The rules of all styles: selectors and declarations. */
const rules = files('.css').flatMap((path) =>
  [
    ...read(path)
      .replace(/\/\*.*?\*\//gs, '')
      .matchAll(/([^{}]+)\{([^{}]*)\}/g),
  ].map(([, selector, body]) => ({ selector: selector.trim().replace(/\s+/g, ' '), body })),
);

/** Everything that is drawn in a hue: queries, keys and values, and their shares. */
const DRAWN = {
  q: [
    'b.q',
    // the word that looks, its row in a map, and the query of the circle
    '.token.here b',
    '.token.here:empty::before',
    '.token.locked b',
    '.look-mark',
    '.handle rect',
  ],
  k: [
    'b.k',
    // the words that are read, and the keys of the circle and of the bell
    '.token.read b, .token.read:empty::before',
    '.handle .dot',
    '.edge',
    '.edge-hair',
    '.dot-k',
    // bars of the weights of keys, and of the caches of keys
    '.bar, .bar rect, rect.bar',
    '.bar-line',
    'rect.bar.here',
    '.cold-bar',
    '.word-bar',
    '.cache-bar',
  ],
  v: [
    'b.v',
    // the values of the circle, and the reports of witnesses
    '.mean .dot',
    '.mean :is(.edge, .edge-hair)',
    '.bell-value',
    '.area.bell-value',
    '.handle.value .dot',
  ],
};

test('blue is for queries, rust for keys and plum for values, and for nothing else', () => {
  for (const [role, expected] of Object.entries(DRAWN)) {
    const found = rules.filter(({ body }) => body.includes(`var(--${role})`));
    assert.deepEqual([...new Set(found.map(({ selector }) => selector))].sort(), expected.sort());
  }
});

test('handles that are no keys have a colour of their own', () => {
  for (const kind of ['mix', 'spent', 'value'])
    assert.ok(
      rules.some(
        ({ selector, body }) => selector === `.handle.${kind} .dot` && /fill: /.test(body),
      ),
      kind,
    );
});

test('each class of a style is in the page', () => {
  const page = [read('index.html'), ...files('.js').map(read)].join('\n');
  const names = rules.flatMap(({ selector }) =>
    [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name),
  );
  const unused = [...new Set(names)].filter(
    (name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(page),
  );
  // the seven shades of a word in the first frame: w and a digit
  assert.deepEqual(
    unused.filter((name) => !/^w\d$/.test(name)),
    [],
  );
});
