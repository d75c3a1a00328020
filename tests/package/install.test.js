/** The package works where it is installed. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { publint } from 'publint';
import { otherEngines } from '../engines/others/index.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';
import { createProject, libraries, nodes } from '../support/package/project.js';
import { read, root } from '../support/package/repository.js';

const manifest = JSON.parse(read('package.json'));

/** The JavaScript of a document, or of one section of it. */
const examplesOf = (document, heading = '') => {
  const sections = read(document).split(/^## /m);
  const text = heading ? sections.find((part) => part.startsWith(`${heading}\n`)) : read(document);
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
};

/** The arguments of the commands of a document, by the name of the command. */
const commandsOf = (document, name) =>
  [...read(document).matchAll(/^npx clearhead (.*[^\\])$/gm)]
    .map(([, words]) => words.match(/"[^"]*"|\S+/g).map((word) => word.replaceAll('"', '')))
    .filter(([command]) => command === name);

let project;
before(() => {
  project = createProject();
});
after(() => project.remove());

describe('the installed package', () => {
  const kinds = ['peerDependencies', 'optionalDependencies', 'bundledDependencies'];
  const scripts = ['preinstall', 'install', 'postinstall'];

  test('are the package and one library, which depend on nothing', () => {
    assert.deepEqual(Object.keys(manifest.dependencies), libraries);
    const found = libraries.map((name) => JSON.parse(read(`node_modules/${name}/package.json`)));
    for (const of of [manifest, ...found])
      for (const kind of kinds) assert.deepEqual(of[kind] ?? {}, {}, `${of.name}: ${kind}`);
    for (const of of found) assert.deepEqual(of.dependencies ?? {}, {}, of.name);
    const folders = readdirSync(join(project.folder, 'node_modules'));
    assert.deepEqual(
      folders.filter((name) => !name.startsWith('.')),
      ['@huggingface', 'clearhead'],
    );
  });

  test('runs nothing while it is installed', () => {
    assert.equal(manifest.scripts.prepare, undefined);
    for (const name of ['clearhead', ...libraries]) {
      const of =
        name === 'clearhead' ? manifest : JSON.parse(read(`node_modules/${name}/package.json`));
      for (const script of scripts)
        assert.equal(of.scripts?.[script], undefined, `${name}: ${script}`);
    }
  });

  test('are the JavaScript, both variants, the single files and no document but one', () => {
    const published = [
      /^lib\/(js|cli)\/.*\.(js|wasm)$/,
      /^src\/js\/.*\.d\.c?ts$/,
      /^dist\/clearhead(-model)?(\.min\.js|\.js|\.cjs)$/,
      /^(package\.json|README\.md|LICENSE|docs\/bundlers\.md)$/, // errors name the last one
    ];
    for (const path of project.paths)
      assert.ok(
        published.some((kind) => kind.test(path)),
        `${path} is in it`,
      );
    for (const path of [
      'lib/js/engine/attn.simd.wasm',
      'lib/js/engine/attn.relaxed.wasm',
      'lib/js/engine/model.relaxed.wasm',
      'src/js/types.d.ts',
      'dist/clearhead.js',
      'dist/clearhead.min.js',
      'dist/clearhead-model.js',
      'dist/clearhead-model.min.js',
      'README.md',
      'LICENSE',
    ])
      assert.ok(project.paths.includes(path), `${path} is in it`);
  });

  test('has a file for every exported path', () => {
    const paths = Object.keys(manifest.exports).map((path) => `clearhead${path.slice(1)}`);
    project.run(process.execPath, [
      '-e',
      `for (const path of ${JSON.stringify(paths)}) require('fs').statSync(require.resolve(path))`,
    ]);
  });

  test('publint has nothing to say', async () => {
    const pkgDir = join(project.folder, 'node_modules/clearhead');
    const { messages } = await publint({ pkgDir, pack: false, strict: true });
    assert.deepEqual(messages, []);
  });
});

describe('it runs', () => {
  const cli = 'node_modules/clearhead/lib/cli/clearhead.js';

  for (const { name, path, missing: skip = false, run = [] } of [...nodes, ...otherEngines]) {
    test(`the first example of the README, by itself, on ${name}`, { skip }, () => {
      project.write('example.js', examplesOf('README.md', 'Use it')[0]);
      const said = project.run(path, [...run, 'example.js']);
      assert.match(said, /0\.57\d+,\s+0\.28\d+,\s+0\.14\d+\s[^]*15\.6/);
    });

    test(`the examples of the README, one after the other, on ${name}`, { skip }, () => {
      const examples = examplesOf('README.md', 'Use it');
      assert.equal(examples.length, 4);
      project.write('examples.js', examples.join(''));
      const said = project.run(path, [...run, 'examples.js']);
      assert.match(said, /spreads over 2\.2 keys\nmostly key 9 with 0\.78/);
      assert.match(said, /512 numbers; 2 threads are ready/);
      assert.match(said, /holds: true/);
    });

    for (const document of ['docs/guide.md', 'docs/statements.md', 'docs/training.md'])
      test(`the examples of ${document} on ${name}`, { skip }, () => {
        const examples = examplesOf(document);
        assert.ok(examples.length > 0);
        project.write('document.js', examples.join(''));
        // Deno asks, and the others do not know the option
        const mayWrite = run.includes('--allow-read') ? ['--allow-write'] : [];
        project.run(path, [...run, ...mayWrite, 'document.js']);
      });

    for (const [document, heading] of [['README.md', 'Run a model'], ['docs/models.md']])
      test(`the examples with a model of ${document} on ${name}`, { skip }, () => {
        const metadata = { 'tokenizer.chat_template': '{{ messages[0].content }}' };
        project.write('model.gguf', asGguf(tiny(configs['llama, tied, grouped']), metadata));
        project.write('model.js', examplesOf(document, heading).join(''));
        const said = project.run(path, [...run, 'model.js']);
        assert.match(said, /effective keys of layer 2, head 3: \d/);
      });

    test(`the examples and commands of docs/look-inside.md on ${name}`, { skip }, () => {
      project.write('model.gguf', asGguf(tiny(configs['llama, tied, grouped'])));
      const examples = examplesOf('docs/look-inside.md');
      project.write('inside.js', examples.join(''));
      const said = project.run(path, [...run, 'inside.js']);
      assert.match(said, /sum up to the logit: true\n/);
      assert.equal(said.match(/^without \d\.\d the log-probability changes by/gm).length, 3);

      const commands = commandsOf('docs/look-inside.md', 'inspect');
      const [looked, without] = commands.map((args) => project.run(path, [...run, cli, ...args]));
      assert.equal(commands.length, 2);
      assert.match(looked, /^Ledger of /m);
      assert.match(without, /^Without head 1\.1$/m);
    });

    test(`the installed command checks itself on ${name}`, { skip }, () => {
      project.run(path, [...run, cli, 'check']);
    });
  }

  test('the installed command says where the page is', () => {
    assert.throws(
      () => project.run(process.execPath, [cli, 'serve']),
      /needs the page, which is in a clone/,
    );
  });

  test('the command of the README writes with the model of the clone', () => {
    const [args, ...others] = commandsOf('README.md', 'generate');
    assert.deepEqual(others, []);
    const ofTheClone = args.map((word) => word.replace(/^\.\.\/clearhead\//, root));
    const said = project.run(process.execPath, [cli, ...ofTheClone]);
    assert.match(said, /^One frosty morning,( [^ ]+){20}/);
  });

  test('npx clearhead check runs from the installed package', () => {
    project.run('npx', ['--no-install', 'clearhead', 'check']);
  });
});

test('no lock file names a server', () => {
  for (const file of [
    'package-lock.json',
    'tests/engines/newer-node/package-lock.json',
    'tests/engines/others/package-lock.json',
  ])
    assert.ok(!read(file).includes('"resolved"'), file);
});
