/** The types, as compilers and checkers of packages see them. */

/** Uses every entry; the lines marked must not compile. */
const USE = `
import { init, ClearheadError } from 'clearhead';
import { loadModel } from 'clearhead/model';
import { loadModel as loadRemote } from 'clearhead/worker';
import { init as initInline } from 'clearhead/inline';
import { init as initAll, loadModel as loadInline, worker } from 'clearhead/inline/model';
import wasm from 'clearhead/attn.simd.wasm';

export async function use(bytes: Uint8Array): Promise<Float32Array> {
  const q = new Float32Array(8);
  const engine = await init({ wasm, threads: 2 });
  const { output, stats } = engine.attention(q, q, q, { headDim: 4, want: { stats: true } });
  const small: number = stats.entropy[0];
  const model = await loadModel(bytes);
  for await (const { text, heads } of model.generate('a', { observe: 'stats' }))
    console.log(text, heads.effectiveKeys[0], small);
  const remote = await loadRemote(bytes, { engine: { threads: 2 } });
  const ids: number[] = await remote.tokenizer!.encode('a');
  (await initInline()).attention(q, q, q, { headDim: 4 });
  (await initAll({ layers: true })).matmul;
  (await loadInline(bytes)).config.layers;
  await worker.loadModel(bytes);
  // @ts-expect-error an unknown option
  engine.attention(q, q, q, { headDim: 4, causa: true });
  // @ts-expect-error an unknown code
  new ClearheadError('NONE', '');
  return ids.length ? output : q;
}
`;

const STRICT = '--noEmit --strict --target es2022 --lib es2022,dom'.split(' ');

const typescript = (version, resolutions) =>
  resolutions.map((resolution) => ({
    name: `TypeScript ${version}, ${resolution}`,
    entry: 'clearhead',
    types: true,
    packages: [`typescript-${version}`],
    async run(project) {
      project.write('use.ts', USE);
      const module = /^node(16|next)$/.test(resolution) ? resolution : 'esnext';
      const silenced = version === '6.0' && resolution === 'node10';
      await project.bin('tsc', [
        ...STRICT,
        ...['--module', module, '--moduleResolution', resolution],
        ...(silenced ? ['--ignoreDeprecations', '6.0'] : []),
        'use.ts',
      ]);
      return {};
    },
  }));

/** @param {string} name @param {(project: { tarball: string }) => string[]} args */
const checker = (name, args) => ({
  name,
  entry: 'clearhead',
  types: true,
  packages: [name],
  async run(project) {
    const command = name.replace(/^@arethetypeswrong\/cli$/, 'attw');
    await project.bin(command, args(project));
    return {};
  },
});

export const types = [
  ...typescript('5.0', ['node10', 'node16', 'bundler']),
  ...'1 2 3 4 5 6 7 8 9'
    .split(' ')
    .flatMap((minor) => typescript(`5.${minor}`, ['node10', 'nodenext', 'bundler'])),
  ...typescript('6.0', ['node10', 'nodenext', 'bundler']),
  ...typescript('7.0', ['nodenext', 'bundler']),
  checker('publint', () => ['node_modules/clearhead', '--strict']),
  checker('@arethetypeswrong/cli', ({ tarball }) => [
    tarball,
    // Node 20.19 and later can require modules
    ...['--ignore-rules', 'cjs-resolves-to-esm'],
  ]),
];
