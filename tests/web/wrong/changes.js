/** Files of the page as it is served, changed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** One place of one file, changed. */
export const edit = (path, from, to) => ({
  [path]: (text) => {
    assert.equal(text.split(from).length, 2, `${path} has one “${from}”`);
    return text.replace(from, to);
  },
});

/** Stands behind the last change of the binding. */
const END = '/* no further change */';

/** The binding behind another one, whose `init` returns an engine with all of these changes. */
const behind = (made) => ({
  'src/js/original.js': () =>
    readFileSync(new URL('../../../src/js/index.js', import.meta.url), 'utf8'),
  'src/js/index.js': (text) =>
    (text.includes(END) ? text : UNCHANGED).replace(END, () => `${made}, ${END}`),
});
const UNCHANGED = `
  export * from './original.js';
  import { init as start } from './original.js';
  const changes = [${END}];
  export const init = async (options) =>
    changes.reduce((engine, change) => change(engine), await start(options));`;

/** Several changes at once, in their order. */
export const together = (changes) => {
  const all = {};
  for (const change of changes)
    for (const [path, edited] of Object.entries(change)) {
      const earlier = all[path] ?? ((text) => text);
      all[path] = (text) => edited(earlier(text));
    }
  return all;
};

/** `body` sees engine, q, k, v, o and returns a result of attention. */
export const wrap = (body) =>
  behind(`(engine) => ({ ...engine, attention(q, k, v, o) { ${body} } })`);

/** The same for `attend`: `body` sees engine, q, cache and o. */
export const wrapAttend = (body) =>
  behind(`(engine) => ({ ...engine, attend(q, cache, o) { ${body} } })`);

/** `changed` sees the result r of a function of statements, and returns another. */
export const theory = (name, changed) =>
  behind(`(engine) => ({
    ...engine,
    theory: engine.theory.then((t) => ({
      ...t,
      ${name}(...given) {
        const r = t.${name}(...given);
        return ${changed};
      },
    })),
  })`);
