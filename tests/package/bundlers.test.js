/** Bundlers and compilers of other projects can use the package. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { asGguf, configs, tiny } from '../support/models/random-models.js';
import { createProject, nodes } from '../support/package/project.js';
import { files, read, root } from '../support/package/repository.js';

const esbuild = join(root, 'node_modules/.bin/esbuild');
const engines = nodes.filter(({ missing }) => !missing);

let project;
before(() => {
  project = createProject();
});
after(() => project.remove());

test('a bundle made as the documents say has its threads and its workers', () => {
  const documents = ['README.md', ...files('docs', /\.md$/)].map(read).join('\n');
  const [, commands] = documents.match(/```sh\n(npx esbuild [\s\S]*?)```/) ?? [];
  assert.ok(commands, 'a document has the commands');
  project.write('model.gguf', asGguf(tiny(configs['llama, tied, grouped'])));
  project.write(
    'app.js',
    `import { init } from 'clearhead';
    import { createTrainer } from 'clearhead/train/worker';
    import { loadModel } from 'clearhead/worker';
    const engine = await init({ threads: 2, layers: true });
    const file = new URL('../model.gguf', import.meta.url);
    const model = await loadModel(file, { engine: { threads: 2 } });
    let tokens = 0;
    for await (const { token } of model.generate([1, 2, 3], { maxTokens: 5 })) tokens += token >= 0;
    const sizes = { vocab: 5, layers: 1, modelDim: 4, heads: 2, ffnDim: 0 };
    const trainer = await createTrainer(sizes, { batch: 1, context: 2 });
    await trainer.step(Int32Array.of(1, 2, 3));
    console.log(engine.info.threads, model.engine.threads, tokens, trainer.steps);
    process.exit();`,
  );

  project.run('bash', ['-ec', commands.replaceAll('npx esbuild', esbuild)]);

  for (const { name, path } of engines)
    assert.equal(project.run(path, ['dist/app.js']), '2 2 5 1\n', name);
});

for (const worker of ['thread', 'worker/host', 'worker/attention-host', 'train/host'])
  test(`an import of ${worker} alone keeps the worker in a bundle`, () => {
    project.write('worker.js', `import 'clearhead/${worker}';`);

    project.run(esbuild, ['worker.js', '--bundle', '--format=esm', '--outfile=worker.out.js']);

    assert.match(readFileSync(join(project.folder, 'worker.out.js'), 'utf8'), /onmessage/);
  });

/** A program that computes one key, and says its value or the error. */
const program = (options) => `import { init } from 'clearhead';
  import { readFileSync } from 'node:fs';
  const one = Float32Array.of(1);
  init(${options}).then(
    (ch) => console.log(ch.attention(one, one, Float32Array.of(3), { headDim: 1 }).output[0]),
    (error) => console.log(error.message));`;

const kernels = JSON.stringify(join(root, 'src/js/engine/attn.simd.wasm'));
for (const [what, options, expected] of [
  ['takes the kernels it is given', `{ wasm: readFileSync(${kernels}) }`, /^3$/],
  ['knows no address for others', '', /clearhead\/inline/],
])
  test(`a bundle that is no module ${what}`, () => {
    project.write('in.js', program(options));

    const how = ['--bundle', '--platform=node', '--format=cjs', '--log-level=error'];
    project.run(esbuild, ['in.js', ...how, '--outfile=out.cjs']);

    for (const { path } of engines) assert.match(project.run(path, ['out.cjs']).trim(), expected);
  });

test('a bundle that is no module trains in an engine it is given, and asks for that', () => {
  const file = JSON.stringify(join(root, 'src/js/engine/model.simd.wasm'));
  project.write(
    'train.js',
    `import { init } from 'clearhead';
    import { createTrainer } from 'clearhead/train';
    import { readFileSync } from 'node:fs';
    const sizes = { vocab: 5, layers: 1, modelDim: 4, heads: 2, ffnDim: 0 };
    const options = { batch: 1, context: 2 };
    (async () => {
      await createTrainer(sizes, options).catch(({ code, message }) => console.log(code, message));
      const engine = await init({ layers: true, wasm: readFileSync(${file}) });
      const trainer = await createTrainer(sizes, { ...options, engine });
      await trainer.step(Int32Array.of(1, 2, 3));
      console.log(trainer.steps);
    })();`,
  );

  const how = ['--bundle', '--platform=node', '--format=cjs', '--log-level=error'];
  project.run(esbuild, ['train.js', ...how, '--outfile=train.cjs']);

  for (const { path } of engines)
    assert.match(
      project.run(path, ['train.cjs']),
      /^ENV .* expected options with engine: await init\(\{ layers: true, wasm \}\).*\n1\n$/,
    );
});

for (const [how, ...options] of [
  ['Node', '--module', 'nodenext'],
  ['a bundler', '--module', 'esnext', '--moduleResolution', 'bundler'],
])
  test(`the types resolve for ${how} and refuse what the library refuses`, () => {
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom'];
    strict.push('--exactOptionalPropertyTypes', '--skipLibCheck', 'false');
    project.write('use.ts', read('tests/package/use-of-types.ts'));
    const tsc = join(root, 'node_modules/.bin/tsc');
    project.run(tsc, [...strict, '--types', '', ...options, 'use.ts']);
  });
