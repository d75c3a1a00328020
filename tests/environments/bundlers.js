/** Bundlers, each without settings unless \`setUp\` says one. The bundle runs in a page. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, INLINE, SAY } from './app.js';
import { ISOLATION } from '../web/site.js';
import { open, openFolder } from './browser.js';

const ENTRY = 'clearhead/inline';
const page = (script, type = 'type="module"') =>
  `<!doctype html><link rel="icon" href="data:,"><script ${type} src="${script}"></script>`;
const app = (project, path = 'main.js') => project.write(path, check(INLINE) + SAY);

/** \`make\` leaves out.js in the folder of the project. */
const script = (name, packages, make, type) => ({
  name,
  entry: ENTRY,
  packages,
  async run(project) {
    app(project);
    await make(project);
    project.write('index.html', page('out.js', type));
    return openFolder(project.folder);
  },
});

const vite = (version) => ({
  name: `Vite ${version}, build`,
  entry: ENTRY,
  packages: [`vite-${version}`],
  async run(project) {
    app(project);
    project.write('index.html', page('/main.js'));
    await project.bin('vite', ['build']);
    return openFolder(join(project.folder, 'dist'));
  },
});

const viteDev = (version) => ({
  name: `Vite ${version}, dev server`,
  entry: ENTRY,
  packages: [`vite-${version}`],
  async run(project) {
    app(project);
    project.write('index.html', page('/main.js'));
    const path = join(project.folder, 'node_modules/vite/dist/node/index.js');
    const { createServer } = await import(pathToFileURL(path));
    const server = await createServer({
      root: project.folder,
      logLevel: 'error',
      server: { headers: ISOLATION },
    });
    await server.listen();
    try {
      return await open(server.resolvedUrls.local[0]);
    } finally {
      await server.close();
    }
  },
});

const CLASSIC = '';
export const bundlers = [
  ...['6', '7', '8'].flatMap((version) => [vite(version), viteDev(version)]),
  {
    name: 'webpack 5',
    entry: ENTRY,
    packages: ['webpack', 'webpack-cli'],
    async run(project) {
      app(project, 'src/index.js');
      project.write('src/model.js', project.read('model.js'));
      await project.bin('webpack', ['--mode', 'production']);
      project.write('dist/index.html', page('main.js', CLASSIC));
      return openFolder(join(project.folder, 'dist'));
    },
  },
  script('esbuild, module', ['esbuild'], (project) =>
    project.bin('esbuild', [
      'main.js',
      '--bundle',
      '--minify',
      '--format=esm',
      '--outfile=out.js',
      '--log-level=error',
    ]),
  ),
  script(
    'esbuild, classic script',
    ['esbuild'],
    (project) =>
      project.bin('esbuild', [
        'main.js',
        '--bundle',
        '--minify',
        '--charset=utf8',
        '--outfile=out.js',
        '--log-level=error',
      ]),
    CLASSIC,
  ),
  script(
    'Rollup and terser, classic script',
    ['rollup', '@rollup/plugin-node-resolve', 'terser'],
    async (project) => {
      await project.bin('rollup', [
        ...['main.js', '-p', 'node-resolve', '-f', 'iife', '-o', 'bundle.js', '--silent'],
      ]);
      await project.bin('terser', ['bundle.js', '--compress', '--mangle', '-o', 'out.js']);
    },
    CLASSIC,
  ),
  {
    name: 'Parcel',
    entry: ENTRY,
    setUp: '"@parcel/resolver-default": { "packageExports": true } in package.json',
    packages: ['parcel'],
    async run(project) {
      app(project);
      const manifest = JSON.parse(project.read('package.json'));
      manifest['@parcel/resolver-default'] = { packageExports: true };
      project.write('package.json', JSON.stringify(manifest));
      project.write('index.html', page('main.js'));
      await project.bin('parcel', ['build', 'index.html', '--no-cache']);
      return openFolder(join(project.folder, 'dist'));
    },
  },
];
