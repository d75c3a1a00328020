/** The downloads of a page stay small. */
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { brotli, KB, withinBudget } from '../support/package/budget.js';
import { bytes, exists, root } from '../support/package/repository.js';

const VARIANTS = ['simd', 'relaxed'];

/** Modules of the package as a browser's bundler ships them: minified, in chunks. */
async function bundle(...entries) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    entryPoints: entries,
    external: ['@huggingface/*', 'node:*'],
    format: 'esm',
    metafile: true,
    minify: true,
    outdir: '.',
    platform: 'browser',
    splitting: true,
    write: false,
  });
  const code = (path) => outputFiles.find((file) => file.path === join(root, path)).contents;
  const pathOf = (source) =>
    Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === source);
  /** The chunk of a source file and those it imports at once. */
  const chunksOf = (source) => {
    const seen = new Set([pathOf(source)]);
    for (const path of seen)
      for (const { path: other, kind, external } of metafile.outputs[path].imports)
        if (kind === 'import-statement' && !external) seen.add(other);
    return seen;
  };
  return {
    /** The code that loads with a source file, where some other is there already. */
    with: (source, present = '') => {
      const there = present ? chunksOf(present) : new Set();
      return [...chunksOf(source)].filter((path) => !there.has(path)).map(code);
    },
    all: () => outputFiles.map(({ contents }) => contents),
  };
}

const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);
const variantsOf = (name) =>
  VARIANTS.map((variant) => [variant, `src/js/engine/${name}.${variant}.wasm`]).filter(([, file]) =>
    exists(file),
  );

describe('attention', () => {
  const entry = 'src/js/index.js';
  let bundled;
  before(async () => {
    bundled = await bundle(entry);
  });

  // why it is not less, and not cut into pieces: tuning.md#entry-size
  test('its entry has at most 26 KB of minified JavaScript', (t) => {
    withinBudget(t, 'the entry', sizeOf(bundled.with(entry)), 26 * KB);
  });

  for (const [variant, file] of variantsOf('attn'))
    test(`its download with attn.${variant} is at most 40 KB after brotli`, (t) => {
      const size = brotli(...bundled.with(entry), bytes(file));
      withinBudget(t, `with attn.${variant}`, size, 40 * KB);
    });

  test('the statements are at most 24 KB after brotli, their kernels too', (t) => {
    const kernels = bytes('src/js/theory/theory.wasm');
    const code = bundled.with('src/js/theory/index.js', entry);
    withinBudget(t, 'the statements', brotli(...code, kernels), 24 * KB);
  });

  for (const [variant, file] of variantsOf('attn'))
    test(`attn.${variant}.wasm is at most 81 KB before compression`, (t) => {
      withinBudget(t, file, bytes(file).length, 81 * KB);
    });
});

describe('models', () => {
  const entry = 'src/js/model/index.js';
  let bundled;
  before(async () => {
    bundled = await bundle(entry);
  });

  // why training is not a module of its own: tuning.md#models-size
  for (const [variant, file] of variantsOf('model'))
    test(`their download with model.${variant} is at most 129 KB after brotli`, (t) => {
      const size = brotli(...bundled.with(entry), bytes(file));
      withinBudget(t, `with model.${variant}`, size, 129 * KB);
    });

  for (const [variant, file] of variantsOf('model'))
    test(`model.${variant}.wasm is at most 215 KB before compression, training included`, (t) => {
      withinBudget(t, file, bytes(file).length, 215 * KB);
    });
});

describe('training', () => {
  const entry = 'src/js/train/index.js';
  const model = 'src/js/model/index.js';

  test('is at most 27 KB of minified JavaScript beside the models', async (t) => {
    const bundled = await bundle(entry, model);
    withinBudget(t, 'training', sizeOf(bundled.with(entry, model)), 27 * KB);
  });
});
