/** The files that the JavaScript loads. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import { exists, files, imports, read, withoutComments } from '../support/package/repository.js';

const ENTRY = 'src/js/index.js';
const MODELS = 'src/js/model/index.js';
const WORKERS = ['src/js/worker/client.js', 'src/js/train/worker/client.js'];
/** Logarithms of probabilities, which the command line and the page show too. */
const LOG_SOFTMAX = 'src/js/model/inspect/log-softmax.js';
/** The name of a head, which they write alike. */
const HEAD_NAME = 'src/js/model/inside/head-name.js';
/** The file that needs a library. */
const LIBRARIES = { 'src/js/model/text/jinja/source.js': '@huggingface/jinja' };
const own = files('src/js', /\.js$/);

describe('src/js', () => {
  test('imports itself and Node, and a library in one file', () => {
    for (const file of own)
      for (const name of imports(file))
        assert.ok(
          name === LIBRARIES[file] || /^src\/js\/|^node:|^clearhead:/.test(name),
          `${file} imports ${name}`,
        );
  });

  test('loads the library of models only when a model needs it', () => {
    const all = new Set([ENTRY, MODELS, 'src/js/worker/client.js']);
    for (const file of all)
      for (const name of imports(file, { dynamic: false }))
        if (name.startsWith('src/')) all.add(name);
    for (const file of Object.keys(LIBRARIES)) assert.ok(!all.has(file), `${file} loads at once`);
  });

  test('keeps models out of attention', () => {
    const all = new Set([ENTRY]);
    for (const file of all) for (const name of imports(file)) all.add(name);
    for (const name of all) assert.doesNotMatch(name, /^src\/js\/model\/|^@/);
  });

  test('has no eval and no code from strings, and no worker from a blob outside inline', () => {
    const banned = /\beval\s*\(|\bnew\s+Function\b|createObjectURL|setTimeout\(\s*['"`]/;
    for (const file of own.filter((name) => !name.startsWith('src/js/inline/')))
      assert.doesNotMatch(withoutComments(read(file)), banned, file);
  });

  test('calls the functions of C by their names, so that an editor finds the calls', () => {
    for (const file of own) {
      const code = withoutComments(read(file));
      assert.doesNotMatch(code, /\bc\[|[`'"]attn_\w*\$\{/, file);
    }
  });

  test('has no top-level await: it can be required', () => {
    const { init } = createRequire(import.meta.url)(`../../${ENTRY}`);
    assert.equal(typeof init, 'function');
  });

  test('finds every file beside a module by a literal new URL(…, import.meta.url)', () => {
    const address = /new URL\(\s*([^)]*?),\s*import\.meta\.url\)/g;
    for (const file of own)
      for (const [, argument] of withoutComments(read(file)).matchAll(address)) {
        assert.match(argument, /^'\.[^']+'$/, `${file}: ${argument}`);
        const found = posix.join(posix.dirname(file), argument.slice(1, -1));
        assert.ok(exists(found), `${file}: ${argument} is there`);
      }
  });
});

describe('the command line and the page', () => {
  test('the command line imports public entries, names, a logarithm and Node', () => {
    const names = ['src/js/names.js', 'src/js/model/inside/points.js', LOG_SOFTMAX, HEAD_NAME];
    for (const file of files('src/cli', /\.js$/))
      for (const name of imports(file))
        assert.ok(
          [ENTRY, MODELS, ...names].includes(name) || /^src\/cli\/|^node:/.test(name),
          `${file} imports ${name}`,
        );
  });

  test('the page imports public entries, itself, parts without state, and a recipe', () => {
    // between any two tokens the page may be stopped, so it draws them itself
    const entries = [ENTRY, MODELS, ...WORKERS, 'src/js/model/sampling/sample.js'];
    entries.push(LOG_SOFTMAX, HEAD_NAME);
    // the proof sheet runs the check of the command line
    entries.push(...['statement-list', 'statements', 'lab'].map((name) => `src/cli/${name}.js`));
    // the lab shuffles the numbers of a file, so it reads GGUF
    const reader = ['bytes', 'formats', 'gguf', 'metadata', 'source'];
    entries.push(...reader.map((name) => `src/js/model/files/${name}.js`));
    for (const file of files('web', /\.js$/))
      for (const name of imports(file))
        assert.ok(
          entries.includes(name) || /^web\/|^training\/induction\/recipe\.js$/.test(name),
          `${file} imports ${name}`,
        );
  });

  test('the page loads nothing from another origin', () => {
    // the href of a link, which is loaded when a reader follows it
    const link = 'https://huggingface.co/${source}/blob/main/config.json';
    const address = /(?:https?:)?\/\/[\w-]+(?:\.[\w-]+)+[^\s"'`<>)]*/g;
    for (const file of files('web', /\.(html|css|js|svg|json|webmanifest)$/)) {
      const text = read(file)
        .replace(/<a\s[^>]*>/g, '')
        .replace(/<!--[\s\S]*?-->/g, '')
        // a command for the terminal of a reader
        .replace(/git clone https:\S+/g, '');
      const code = file.endsWith('.html') ? text : withoutComments(text);
      const found = [...code.matchAll(address)].map(([url]) => url);
      const others = found.filter((url) => !url.startsWith('http://www.w3.org/') && url !== link);
      assert.deepEqual(others, [], file);
    }
  });
});
