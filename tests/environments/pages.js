/** Places of a browser, without a bundler: the files of dist as a CDN serves them. */
import { join } from 'node:path';
import { check, classicCheck, SAY } from './app.js';
import { openFolder, serve } from './browser.js';

const DIST = 'node_modules/clearhead/dist';
const ICON = '<!doctype html><link rel="icon" href="data:,">';
const moduleCheck = (at) =>
  check({ attention: `${at}/clearhead.js`, model: `${at}/clearhead-model.js` });
/** Sends the results instead of saying them. */
const sent = (send) => SAY.replaceAll('console.log(', `${send}(`);

export const pages = [
  {
    name: 'classic script, page without a charset',
    entry: 'dist/clearhead-model.min.js',
    async run(project) {
      project.write('main.js', classicCheck(project.read('model.js')) + SAY);
      project.write(
        'index.html',
        `${ICON}<script src="${DIST}/clearhead-model.min.js"></script>
        <script src="main.js"></script>`,
      );
      return openFolder(project.folder);
    },
  },
  {
    name: 'page of another origin',
    entry: 'dist/clearhead.js',
    async run(project) {
      const cdn = await serve(join(project.folder, DIST));
      project.write('main.js', moduleCheck(cdn.at.slice(0, -1)) + SAY);
      project.write('index.html', `${ICON}<script type="module" src="main.js"></script>`);
      return openFolder(project.folder).finally(cdn.close);
    },
  },
  {
    name: 'module service worker',
    entry: 'dist/clearhead.js',
    withoutWorkers: true,
    async run(project) {
      const tell = `const tell = async (said) => {
        for (const client of await clients.matchAll({ includeUncontrolled: true }))
          client.postMessage(said);
      };`;
      const asked = sent('tell').replace('check()', 'onmessage = () => check()');
      project.write('main.js', `${moduleCheck(`./${DIST}`)}${tell}${asked}`);
      project.write(
        'index.html',
        `${ICON}<script type="module">
          navigator.serviceWorker.onmessage = ({ data }) => console.log(data);
          await navigator.serviceWorker.register('main.js', { type: 'module' });
          (await navigator.serviceWorker.ready).active.postMessage('begin');
        </script>`,
      );
      return openFolder(project.folder);
    },
  },
  {
    name: 'AudioWorklet',
    entry: 'dist/clearhead.js',
    withoutWorkers: true,
    async run(project) {
      project.write(
        'main.js',
        `${moduleCheck(`./${DIST}`)}
        registerProcessor('attention', class extends AudioWorkletProcessor {
          constructor() {
            super();
            const tell = (said) => this.port.postMessage(said);
            ${sent('tell')}
          }
          process() { return true; }
        });`,
      );
      project.write(
        'index.html',
        `${ICON}<script type="module">
          const context = new OfflineAudioContext(1, 44100, 44100);
          await context.audioWorklet.addModule('main.js');
          const node = new AudioWorkletNode(context, 'attention');
          node.port.onmessage = ({ data }) => console.log(data);
        </script>`,
      );
      return openFolder(project.folder);
    },
  },
];
