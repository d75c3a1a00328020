/**
 * Deno and Bun. Like the newer Node (tests/engines/newer-node) they come from the registry, in a
 * folder of their own, with versions that the lock file fixes. They ask nobody for newer ones, and
 * write nothing beside it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const file = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
export const env = {
  ...process.env,
  DENO_NO_UPDATE_CHECK: '1',
  DENO_DIR: file('.deno'),
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
  DO_NOT_TRACK: '1',
  NO_COLOR: '1',
};
const engine = (name, path, rest) => ({
  name,
  path,
  missing: existsSync(path)
    ? false
    : `the registry has no ${name} for ${process.platform}-${process.arch}`,
  env,
  ...rest,
});

/**
 * `run` and `test` are the arguments before a program's name, and for files of tests and a pattern
 * of their names.
 */
export const otherEngines = [
  engine('Deno', file(`@deno/linux-${process.arch}-glibc/deno`), {
    run: ['run', '--allow-read'],
    test: (files, names) => [
      'test',
      '--allow-all',
      '--no-check',
      '--filter',
      `/${names}/`,
      ...files,
    ],
  }),
  engine(
    'Bun',
    file(`@oven/bun-linux-${{ arm64: 'aarch64' }[process.arch] ?? process.arch}/bin/bun`),
    {
      run: [],
      test: (files, names) => [
        'test',
        '--timeout',
        '300000',
        '--test-name-pattern',
        names,
        ...files.map((name) => `./${name}`),
      ],
    },
  ),
];

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { name, path, missing } of otherEngines)
    console.log(
      missing ||
        `${name} ${execFileSync(path, ['--version'], { encoding: 'utf8' }).match(/[\d.]+/)}`,
    );
