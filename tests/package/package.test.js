/**
 * What is promised about the package: its size, its borders, and that it works where it is
 * installed.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import { brotliCompressSync } from 'node:zlib';
import { newerNode } from '../engines/newer-node/index.js';
import { env, otherEngines } from '../engines/others/index.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(join(root, file), 'utf8');
const bytes = (file) => readFileSync(join(root, file));
/** What stands in JavaScript under a heading of the README. */
const examplesOf = (heading) =>
  [
    ...read('README.md')
      .split(/^## /m)
      .find((part) => part.startsWith(`${heading}\n`))
      .matchAll(/```js\n([\s\S]*?)```/g),
  ].map(([, code]) => code);
const manifest = JSON.parse(read('package.json'));
/**
 * attn: attention and its theory; model: that, layers and models. Each on memory of its own, and on
 * memory that threads share.
 */
const variants = ['simd', 'relaxed', 'simd.shared', 'relaxed.shared'].filter((variant) =>
  existsSync(join(root, `src/js/engine/attn.${variant}.wasm`)),
);

/** The files below a folder of the repository, as paths from its root. */
function files(folder, extension = '') {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

/**
 * What a JavaScript file imports: bare and node: names as they stand, files as paths from the root.
 */
function imports(file, { dynamic = true } = {}) {
  const text = withoutComments(read(file));
  const found = [
    ...text.matchAll(/^\s*(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"]+)['"]/gm),
  ];
  if (dynamic) found.push(...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g));
  return found.map(([, name]) =>
    name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
  );
}

/** The files a static import of `entry` loads. */
function reachable(entry) {
  const seen = new Set([entry]);
  for (const file of seen)
    for (const name of imports(file, { dynamic: false }))
      if (name.includes('/') && !name.startsWith('node:')) seen.add(name);
  return [...seen];
}

/** All that these headers and what they include declare, for threads too or not. */
function declared(threads, ...headers) {
  const seen = new Set(headers);
  for (const header of seen)
    for (const [, name] of read(`src/c/${header}`).matchAll(/^#include "(\w+\.h)"/gm))
      seen.add(name);
  return [...seen].flatMap((header) =>
    [...withoutComments(read(`src/c/${header}`)).matchAll(/^ATTN_(API|THREADS)\b[^(]*?(\w+)\(/gm)]
      .filter(([, which]) => threads || which === 'API')
      .map(([, , name]) => name),
  );
}

describe('the compiled kernels', () => {
  for (const [module, most, headers] of [
    ['attn', 100, ['attn.h', 'theory.h']],
    ['model', 150, files('src/c', '.h').map((file) => file.slice(6))],
  ])
    for (const variant of variants) {
      const file = `src/js/engine/${module}.${variant}.wasm`;

      test(`${module}.${variant}: at most ${most} KB`, () => {
        assert.ok(bytes(file).length <= most * 1024, `${bytes(file).length} bytes`);
      });

      const shared = variant.endsWith('shared');
      test(`${module}.${variant}: imports nothing${shared ? ' but the memory and the clock' : ''} and exports what its headers declare and where memory begins`, () => {
        // Node 20 knows relaxed SIMD, but behind a flag.
        if (!WebAssembly.validate(bytes(file)))
          v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
        const compiled = new WebAssembly.Module(bytes(file));
        const imported = [
          { module: 'env', name: 'memory', kind: 'memory' },
          { module: 'env', name: 'now', kind: 'function' },
        ];
        assert.deepEqual(
          WebAssembly.Module.imports(compiled),
          shared ? imported.slice(0, module === 'model' ? 2 : 1) : [],
        );
        const names = declared(shared, ...headers);
        assert.ok(names.length > 50, 'the declarations were found');
        const exported = WebAssembly.Module.exports(compiled).map(({ name }) => name);
        assert.deepEqual(
          exported.sort(),
          [
            ...new Set(names),
            'memory',
            '__heap_base',
            ...(shared ? ['__stack_pointer'] : []),
          ].sort(),
        );
      });
    }

  test('two builds in different folders give the same bytes as the one that is tested here', () => {
    const copy = mkdtempSync(join(tmpdir(), 'clearhead-build-'));
    try {
      for (const path of ['CMakeLists.txt', 'scripts', 'src/c'])
        cpSync(join(root, path), join(copy, path), { recursive: true });
      mkdirSync(join(copy, 'src/js'));
      const unpacked = join(root, '.toolchain');
      // two that hold every source, and what sets variants and threads apart
      const again = [
        'attn.simd',
        variants.includes('relaxed.shared') ? 'model.relaxed.shared' : 'model.simd.shared',
      ];
      execFileSync('bash', [join(copy, 'scripts/build.sh'), 'wasm', ...again], {
        env: {
          ...process.env,
          PATH: existsSync(unpacked) ? `${process.env.PATH}:${unpacked}` : process.env.PATH,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      for (const module of again) {
        const file = `src/js/engine/${module}.wasm`;
        assert.ok(readFileSync(join(copy, file)).equals(bytes(file)), `${file} differs`);
      }
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});

describe('the C sources', () => {
  test('only simd.h mentions a target', () => {
    const target =
      /__wasm|_wasm_|wasm_simd128|emscripten|__SSE|__AVX|__FMA__|__ARM|__aarch64|__x86_64|__i386|immintrin|arm_neon/i;
    for (const file of files('src/c').filter((name) => name !== 'src/c/base/simd.h'))
      assert.doesNotMatch(withoutComments(read(file)), target, file);
  });

  test('they include each other and the compiler’s own headers, no library', () => {
    for (const file of files('src/c'))
      for (const [, header] of read(file).matchAll(/^\s*#\s*include\s*["<]([^">]+)/gm))
        assert.ok(
          /^(stddef|stdint|stdbool|float|limits)\.h$/.test(header) ||
            existsSync(join(root, 'src/c', header)),
          `${file} includes ${header}`,
        );
  });

  test('CMakeLists.txt compiles every one of them', () => {
    const listed = [...read('CMakeLists.txt').matchAll(/src\/c\/\w+\.c\b/g)].map(([name]) => name);
    assert.deepEqual([...new Set(listed)].sort(), files('src/c', '.c').sort());
  });
});

describe('the JavaScript', () => {
  const attention = reachable('src/js/index.js');

  test('the attention entry is at most 15 KB as a bundler ships it, the statements 10 KB more; downloads are at most 40 KB, and 90 KB with models', async (t) => {
    const { build } = await import('esbuild');
    const options = {
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      platform: 'browser',
    };
    const bundled = async (entry, external) =>
      (await build({ ...options, entryPoints: [join(root, entry)], external })).outputFiles[0]
        .contents;
    // theory.js loads beside the kernels, layers and threads when asked for
    const entry = await bundled('src/js/index.js', ['./threads.js', './layers.js', './theory.js']);
    // a browser's bundler finds all it needs, and makes chunks
    const chunks = await build({
      ...options,
      entryPoints: [join(root, 'src/js/index.js')],
      splitting: true,
      outdir: '.',
    });
    const theory = chunks.outputFiles.find(({ path }) => /theory-\w+\.js$/.test(path)).contents;
    t.diagnostic(`${entry.length} bytes of JavaScript, ${theory.length} of statements`);
    assert.ok(
      entry.length <= 15 * 1024,
      `${entry.length} bytes from ${attention.length} files: ${attention.join(', ')}`,
    );
    assert.ok(theory.length <= 10 * 1024, `${theory.length} bytes of statements`);
    const all = await bundled('src/js/index.js', []);
    assert.ok(all.length <= 48 * 1024, `${all.length} bytes where a bundler does not split`);
    // a GGUF file needs no tokenizer.json, nor what reads safetensors and their config.json; what
    // runs a chat template comes with a file that has one
    const model = await bundled('src/js/model/index.js', [
      './threads.js',
      '../threads.js',
      './tokenizer-json.js',
      './safetensors.js',
      './config-json.js',
      './template-run.js',
      '@huggingface/*',
      'node:*',
    ]);
    for (const [name, most, code] of [
      ['attn', 40, [entry, theory]],
      ['model', 90, [model]],
    ])
      for (const variant of variants) {
        const total = [...code, bytes(`src/js/engine/${name}.${variant}.wasm`)].reduce(
          (sum, part) => sum + brotliCompressSync(part).length,
          0,
        );
        t.diagnostic(`${total} bytes after brotli with ${name}.${variant}`);
        assert.ok(total <= most * 1024, `${name}.${variant}: ${total} bytes`);
      }
  });

  test('no eval, no code from strings, no worker from a blob', () => {
    for (const file of files('src/js', '.js'))
      assert.doesNotMatch(
        withoutComments(read(file)),
        /\beval\s*\(|\bnew\s+Function\b|createObjectURL|setTimeout\(\s*['"`]/,
        file,
      );
  });

  test('no top-level await: it can be required', () => {
    const { init } = createRequire(import.meta.url)('../../src/js/index.js');
    assert.equal(typeof init, 'function');
  });

  test('every file beside a module is found by a literal new URL(…, import.meta.url)', () => {
    for (const file of files('src/js', '.js'))
      for (const [, argument] of withoutComments(read(file)).matchAll(
        /new URL\(\s*([^)]*?),\s*import\.meta\.url\)/g,
      )) {
        assert.match(argument, /^'\.[^']+'$/, `${file}: ${argument}`);
        assert.ok(
          existsSync(join(root, dirname(file), argument.slice(1, -1))),
          `${file}: ${argument} is there`,
        );
      }
  });
});

describe('the arrows between folders', () => {
  const entry = 'src/js/index.js';

  test('src/js imports itself and Node, and where models need them the two libraries they have', () => {
    for (const file of files('src/js', '.js'))
      for (const name of imports(file)) {
        const library = {
          'src/js/model/text/tokenizer-json.js': '@huggingface/tokenizers',
          'src/js/model/text/template-run.js': '@huggingface/jinja',
        }[file];
        assert.ok(name === library || /^src\/js\/|^node:/.test(name), `${file} imports ${name}`);
      }
  });

  test('attention imports nothing of models, and models load the libraries when they are needed', () => {
    const everything = new Set([entry]);
    for (const file of everything) for (const name of imports(file)) everything.add(name);
    for (const name of everything) assert.doesNotMatch(name, /^src\/js\/model\/|^@/);
    for (const file of files('src/js/model', '.js').filter(
      (name) => !/(tokenizer-json|template-run)\.js$/.test(name),
    ))
      for (const name of imports(file, { dynamic: false }))
        assert.doesNotMatch(name, /(tokenizer-json|template-run)\.js$/, file);
  });

  test('the command line imports the public entries, itself and Node', () => {
    for (const file of files('src/cli', '.js'))
      for (const name of imports(file))
        assert.ok(
          name === entry || name === 'src/js/model/index.js' || /^src\/cli\/|^node:/.test(name),
          `${file} imports ${name}`,
        );
  });

  test('the page imports the public entry and itself', () => {
    for (const file of files('web', '.js'))
      for (const name of imports(file))
        assert.ok(name === entry || name.startsWith('web/'), `${file} imports ${name}`);
  });

  test('the page loads nothing from another origin', () => {
    const address = /(?:https?:)?\/\/[\w-]+(?:\.[\w-]+)+[^\s"'`<>)]*/g;
    for (const file of files('web').filter((name) =>
      /\.(html|css|js|svg|json|webmanifest)$/.test(name),
    )) {
      const text = read(file)
        .replace(/<a\s[^>]*>/g, '')
        .replace(/<!--[\s\S]*?-->/g, '');
      const found = [
        ...(file.endsWith('.html') ? text : withoutComments(text)).matchAll(address),
      ].map(([url]) => url);
      assert.deepEqual(
        found.filter((url) => !url.startsWith('http://www.w3.org/')),
        [],
        file,
      );
    }
  });
});

describe('the package', () => {
  const bare = Object.fromEntries(
    Object.entries(env).filter(([key]) => !/^(npm_|FORCE_COLOR$)/i.test(key)),
  );
  const run = (command, args, cwd) => {
    try {
      return execFileSync(command, args, {
        cwd,
        env: bare,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      throw new Error(
        `${command} ${args.join(' ')} failed: ${error.message}\n${error.stdout}\n${error.stderr}`,
        { cause: error },
      );
    }
  };
  const nodes = [
    { name: 'this Node', path: process.execPath },
    { name: 'the newer Node', path: newerNode, missing: !newerNode },
  ];
  const libraries = ['@huggingface/jinja', '@huggingface/tokenizers'];
  let project;
  let packed;

  before(() => {
    project = mkdtempSync(join(tmpdir(), 'clearhead-package-'));
    packed = JSON.parse(
      run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], root),
    );
    packed = Array.isArray(packed) ? packed[0] : Object.values(packed)[0];
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    // Offline: the two libraries are those that are installed here, so no registry is needed.
    const pack = (name) => {
      const made = JSON.parse(
        run(
          'npm',
          ['pack', '--ignore-scripts', '--json', '--pack-destination', project],
          join(root, 'node_modules', name),
        ),
      );
      return join(project, (Array.isArray(made) ? made[0] : Object.values(made)[0]).filename);
    };
    run(
      'npm',
      [
        'install',
        '--offline',
        '--no-audit',
        '--no-fund',
        ...libraries.map(pack),
        join(project, packed.filename),
      ],
      project,
    );
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  test('it depends on two libraries for models, which depend on nothing, and nothing runs when it is installed', () => {
    assert.deepEqual(Object.keys(manifest.dependencies), libraries);
    for (const of of [
      manifest,
      ...libraries.map((name) => JSON.parse(read(`node_modules/${name}/package.json`))),
    ]) {
      for (const kind of [
        'peerDependencies',
        'optionalDependencies',
        'bundledDependencies',
        ...(of === manifest ? [] : ['dependencies']),
      ])
        assert.deepEqual(of[kind] ?? {}, {}, `${of.name}: ${kind}`);
      for (const script of [
        'preinstall',
        'install',
        'postinstall',
        ...(of === manifest ? ['prepare'] : []),
      ])
        assert.equal(of.scripts?.[script], undefined, `${of.name}: ${script}`);
    }
    assert.deepEqual(
      readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['@huggingface', 'clearhead'],
    );
  });

  test('the tarball holds the sources, both variants, the page and nothing else', () => {
    const names = packed.files.map(({ path }) => path);
    for (const name of names)
      assert.match(
        name,
        /^(src\/(js|cli|c)|web|docs)\/|^(package\.json|(README|ARCHITECTURE|CONTRIBUTING)\.md|LICENSE)$/,
      );
    for (const name of [
      'src/js/engine/attn.simd.wasm',
      'src/js/engine/attn.relaxed.wasm',
      'src/js/engine/attn.simd.shared.wasm',
      'src/js/engine/model.relaxed.shared.wasm',
      'src/js/types.d.ts',
      'src/c/include/attn.h',
      'web/index.html',
      'README.md',
      'LICENSE',
    ])
      assert.ok(names.includes(name), `${name} is in it`);
  });

  test('every exported path resolves', () => {
    for (const path of Object.keys(manifest.exports))
      run(
        process.execPath,
        [
          '-e',
          `require('fs').statSync(require.resolve(${JSON.stringify(`clearhead${path.slice(1)}`)}))`,
        ],
        project,
      );
  });

  test('publint has nothing to say', async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({
      pkgDir: join(project, 'node_modules/clearhead'),
      pack: false,
      strict: true,
    });
    assert.deepEqual(messages, []);
  });

  for (const { name, path, missing: skip = false, run: how = [] } of [...nodes, ...otherEngines]) {
    test(`the examples of the README run, one after the other, on ${name}`, { skip }, () => {
      const examples = examplesOf('Use it');
      assert.equal(examples.length, 5);
      writeFileSync(join(project, 'example.js'), examples[0]); // by itself too
      run(path, [...how, 'example.js'], project);
      writeFileSync(join(project, 'examples.js'), examples.join(''));
      assert.match(
        run(path, [...how, 'examples.js'], project),
        /^-?0\.\d*[1-9]\d* \{[^}]*threads: 2/m,
      );
    });

    test(`the examples with a model run on ${name}`, { skip }, () => {
      const examples = examplesOf('Run a model');
      assert.equal(examples.length, 2);
      writeFileSync(join(project, 'model.gguf'), asGguf(tiny(configs['llama, tied, grouped'])));
      writeFileSync(join(project, 'model.js'), examples.join(''));
      assert.match(
        run(path, [...how, 'model.js'], project),
        /effective keys of layer 2, head 3: \d/,
      );
    });

    test(`the installed command checks itself on ${name}`, { skip }, () => {
      run(path, [...how, 'node_modules/clearhead/src/cli/clearhead.js', 'check'], project);
    });
  }

  test('a bundle made as the README says has its threads and its worker', () => {
    const [, commands] = read('README.md').match(/```sh\n(npx esbuild [\s\S]*?)```/) ?? [];
    assert.ok(commands, 'README.md has them');
    writeFileSync(join(project, 'model.gguf'), asGguf(tiny(configs['llama, tied, grouped'])));
    writeFileSync(
      join(project, 'app.js'),
      `import { init } from 'clearhead';
      import { loadModel } from 'clearhead/worker';
      const engine = await init({ threads: 2, layers: true });
      const model = await loadModel(new URL('../model.gguf', import.meta.url), { engine: { threads: 2 } });
      let tokens = 0;
      for await (const { token } of model.generate([1, 2, 3], { maxTokens: 5 })) tokens += token >= 0;
      console.log(engine.info.threads, model.engine.threads, tokens);
      process.exit();`,
    );
    run(
      'bash',
      ['-ec', commands.replaceAll('npx esbuild', join(root, 'node_modules/.bin/esbuild'))],
      project,
    );
    for (const { name, path, missing } of nodes)
      if (!missing) assert.equal(run(path, ['dist/app.js'], project), '2 2 5\n', name);
  });

  test('a bundle that is no module takes the kernels it is given; it knows no address for others', () => {
    const code = (options) => `import { init } from 'clearhead';
      import { readFileSync } from 'node:fs';
      init(${options}).then((ch) => console.log(ch.attention(Float32Array.of(1), Float32Array.of(1), Float32Array.of(3), { headDim: 1 }).output[0]), (error) => console.log(error.message));`;
    const wasm = JSON.stringify(join(root, 'src/js/engine/attn.simd.wasm'));
    const bundle = [
      'in.js',
      '--bundle',
      '--platform=node',
      '--format=cjs',
      '--log-level=error',
      '--outfile=out.cjs',
    ];
    for (const [options, said] of [
      [`{ wasm: readFileSync(${wasm}) }`, /^3$/],
      ['', /Invalid URL/],
    ]) {
      writeFileSync(join(project, 'in.js'), code(options));
      run(join(root, 'node_modules/.bin/esbuild'), bundle, project);
      for (const { path, missing } of nodes)
        if (!missing) assert.match(run(path, ['out.cjs'], project).trim(), said);
    }
  });

  test('npx clearhead check runs from the installed package', () => {
    run('npx', ['--no-install', 'clearhead', 'check'], project);
  });

  test('the types resolve and refuse what the library refuses', () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { ClearheadError, init, type Engine, type Identity, type Layers, type MultiHead } from 'clearhead';
      export async function use(wasm: URL): Promise<Float32Array> {
        const ch: Engine & Layers = await init({ wasm, variant: 'simd', layers: true });
        // @ts-expect-error an engine without layers
        (await init()).gelu;
        const q = new Float32Array(4);
        const { output, lse, stats } = ch.attention(q, q, q, { headDim: 4, causal: true, want: { lse: true, stats: true } });
        const kl: Float32Array = stats.kl ?? lse;
        // @ts-expect-error not asked for
        stats.kl = ch.attention(q, q, q, { headDim: 4, want: { lse: true } }).weights;
        // @ts-expect-error queries of one precision, keys of another
        ch.attention(q, new Float64Array(4), q, { headDim: 4 });
        // @ts-expect-error no such option
        ch.attention(q, q, q, { headDim: 4, headSize: 4 });
        // @ts-expect-error headDim is required
        ch.attention(q, q, q, {});
        const cache = ch.kvCache({ headDim: 4, capacity: 8 });
        cache.append(q, q);
        const { beta, identity }: { beta: number; identity: Identity } = ch.theory.klBudget(lse, 0.5);
        // @ts-expect-error either multipliers or a target
        ch.theory.maximumEntropy(q, q, { multipliers: beta, target: identity.left });
        if (ch.attend(q, cache).output.length !== 4) throw new ClearheadError('SHAPE', 'never');
        const layer: MultiHead = ch.multiHead({ q, k: q, v: q, o: q }, { modelDim: 2, heads: 1, rope: ch.ropeTable({ dim: 2, positions: 9 }) });
        const row: Float32Array = layer.forward(q, { cache: ch.kvCache({ headDim: 2, capacity: 4 }), want: { stats: true } }).output;
        // @ts-expect-error a layer has its own heads
        layer.forward(q, { heads: 2 });
        // @ts-expect-error float32 only
        ch.swiglu(q, new Float64Array(4));
        // @ts-expect-error YaRN needs the original context
        ch.ropeTable({ dim: 2, positions: 9, scaling: { type: 'yarn', factor: 4 } });
        return kl ?? ch.gelu(row, { approximate: 'tanh', out: output });
      }
      import { loadModel, type HeadStats, type Model } from 'clearhead/model';
      import { loadModel as loadRemote, type RemoteModel } from 'clearhead/worker';
      export async function write(file: Blob): Promise<string> {
        const model: Model = await loadModel(file, { quantize: 'q8', context: 512 });
        const remote: RemoteModel = await loadRemote(file, { engine: { threads: 2 } });
        let text = '', last: HeadStats | undefined;
        for await (const next of model.generate('Once', { maxTokens: 5, tau: 0.8, observe: 'weights', heads: [[0, 1]] })) [text, last] = [text + next.text, next.heads];
        const { q, k }: { q: Float32Array; k: Float32Array } = await remote.row(0, 1, model.cache.length - 1);
        // @ts-expect-error the sampling temperature is called tau
        model.generate('Once', { temperature: 1 });
        // @ts-expect-error in a worker everything is a promise
        remote.step(1).logits;
        return text + last?.effectiveKeys[0] + q.length + k.length;
      }\n`,
    );
    const tsc = join(root, 'node_modules/.bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ];
    run(tsc, [...options, '--module', 'nodenext', 'use.ts'], project);
    run(
      tsc,
      [...options, '--module', 'esnext', '--moduleResolution', 'bundler', 'use.ts'],
      project,
    );
  });

  test('no lock file names a server', () => {
    for (const file of [
      'package-lock.json',
      'tests/engines/newer-node/package-lock.json',
      'tests/engines/others/package-lock.json',
    ])
      assert.ok(!read(file).includes('"resolved"'), file);
  });
});
