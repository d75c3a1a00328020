/** Engines outside pages: each runs the installed package, or one file made of it. */
import { join } from 'node:path';
import process from 'node:process';
import { newerNode } from '../engines/newer-node/index.js';
import { otherEngines } from '../engines/others/index.js';
import { check, INLINE, resultIn, SAY, SPLIT } from './app.js';

const engineOf = (name) => otherEngines.find((engine) => engine.name === name);

const program = (name, { path, run = [], env }) => ({
  name,
  entry: 'clearhead',
  async run(project) {
    project.write('main.js', check(SPLIT) + SAY);
    return resultIn(await project.run(path, [...run, 'main.js'], env));
  },
});

const bun = engineOf('Bun');

/** workerd takes wasm only as modules, so they are imported and given. */
const workerd = {
  name: 'workerd',
  entry: 'clearhead',
  withoutWorkers: true,
  setUp: "import wasm from 'clearhead/model.simd.wasm', and init({ wasm })",
  packages: ['workerd', 'esbuild'],
  async run(project) {
    const before = `import wasm from 'clearhead/model.simd.wasm';
      import theoryWasm from 'clearhead/theory.wasm';`;
    const init = '{ wasm, theoryWasm, layers: true, threads: 2 }';
    const load = '{ engine: await init({ wasm, layers: true }) }';
    project.write('check.js', check(SPLIT, { before, init, load }));
    project.write(
      'main.js',
      `import { check } from './check.js';
      export default {
        fetch: () => check().then(
          (results) => new Response('RESULT ' + JSON.stringify(results)),
          (error) => new Response('RESULT ' + JSON.stringify({ error: String(error.stack) })),
        ),
      };`,
    );
    await project.bin('esbuild', [
      ...['main.js', '--bundle', '--format=esm', '--outfile=out/worker.js'],
      ...['--external:*.wasm', '--log-level=error'],
    ]);
    const names = { 'clearhead/model.simd.wasm': 'engine/model.simd.wasm' };
    names['clearhead/theory.wasm'] = 'theory/theory.wasm';
    const modules = Object.entries(names).map(
      ([name, path]) => `(name = "${name}", wasm = embed "node_modules/clearhead/lib/js/${path}")`,
    );
    project.write(
      'config.capnp',
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (
        services = [(name = "main", worker = (
          modules = [(name = "worker.js", esModule = embed "out/worker.js"), ${modules.join(', ')}],
          compatibilityDate = "2026-01-01",
        ))],
        sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
      );`,
    );
    project.write('ask.js', ASK);
    return resultIn(await project.run(process.execPath, ['ask.js']));
  },
};

/** Starts workerd, asks it once, and ends it. */
const ASK = `
import { spawn } from 'node:child_process';
const workerd = spawn('node_modules/.bin/workerd', ['serve', 'config.capnp', '--control-fd=3'], {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
});
const port = await new Promise((resolve, reject) => {
  workerd.on('exit', () => reject(new Error('workerd ended')));
  workerd.stdio[3].on('data', (line) => {
    const { event, port } = JSON.parse(line);
    if (event === 'listen') resolve(port);
  });
});
console.log(await (await fetch('http://127.0.0.1:' + port)).text());
workerd.removeAllListeners('exit').kill();
`;

export const engines = [
  program(`Node ${process.versions.node.split('.')[0]}`, { path: process.execPath }),
  program('Node 26', { path: newerNode }),
  program('Deno', engineOf('Deno')),
  program('Bun', bun),
  {
    name: 'Bun, one executable',
    entry: 'clearhead/inline',
    async run(project) {
      project.write('main.js', check(INLINE) + SAY);
      await project.run(bun.path, ['build', '--compile', 'main.js', '--outfile=one'], bun.env);
      return resultIn(await project.run(join(project.folder, 'one')));
    },
  },
  workerd,
];
