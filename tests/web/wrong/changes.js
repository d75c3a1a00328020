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

/** The binding behind another one, whose `init` returns the object of `made`. */
const behind = (made) => ({
  'src/js/original.js': () =>
    readFileSync(new URL('../../../src/js/index.js', import.meta.url), 'utf8'),
  'src/js/index.js': () => `
    export * from './original.js';
    import { init as start } from './original.js';
    export async function init(options) {
      const engine = await start(options);
      return ${made};
    }`,
});

/** `body` sees engine, q, k, v, o and returns a result of attention. */
export const wrap = (body) => behind(`{ ...engine, attention(q, k, v, o) { ${body} } }`);

/** `changed` sees the result r of a function of statements, and returns another. */
export const theory = (name, changed) =>
  behind(`{
    ...engine,
    theory: engine.theory.then((t) => ({
      ...t,
      ${name}(...given) {
        const r = t.${name}(...given);
        return ${changed};
      },
    })),
  }`);
