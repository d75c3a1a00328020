/** Next.js: a component in the page and a route on the server. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { check, INLINE, resultIn, SAY } from './app.js';
import { ISOLATION } from '../web/site.js';
import { open } from './browser.js';

const packages = ['next', 'react', 'react-dom'];

/** Builds the program into an application, and runs `use` with its address. */
async function serve(project, use) {
  project.write('app/check.js', check(INLINE).replace('./model.js', '../model.js'));
  project.write(
    'app/layout.js',
    `import { createElement } from 'react';
    export default ({ children }) =>
      createElement('html', null, createElement('body', null, children));`,
  );
  project.write(
    'app/page.js',
    `'use client';
    import { useEffect } from 'react';
    import { check } from './check.js';
    export default function Page() {
      useEffect(() => { ${SAY} }, []);
      return null;
    }`,
  );
  project.write(
    'app/api/route.js',
    `import { check } from '../check.js';
    export const dynamic = 'force-dynamic';
    export const GET = () => check().then(
      (results) => new Response('RESULT ' + JSON.stringify(results)),
      (error) => new Response('RESULT ' + JSON.stringify({ error: String(error.stack) })),
    );`,
  );
  const headers = Object.entries(ISOLATION).map(([key, value]) => ({ key, value }));
  project.write(
    'next.config.js',
    `export default {
      headers: async () => [{ source: '/:path*', headers: ${JSON.stringify(headers)} }],
    };`,
  );
  await project.bin('next', ['build']);
  const next = spawn(join(project.folder, 'node_modules/.bin/next'), ['start', '--port', '0'], {
    cwd: project.folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      next.on('exit', () => reject(new Error(`next start ended: ${said}`)));
      next.stdout.on('data', (text) => {
        said += text;
        const [found] = said.match(/http:\/\/localhost:\d+/) ?? [];
        if (found) resolve(`${found}/`);
      });
    });
    return await use(address);
  } finally {
    next.removeAllListeners('exit');
    process.kill(-next.pid);
  }
}

export const next = [
  {
    name: 'Next.js 16, page',
    entry: INLINE.attention,
    packages,
    run: (project) => serve(project, open),
  },
  {
    name: 'Next.js 16, server',
    entry: INLINE.attention,
    packages,
    run: (project) =>
      serve(project, async (address) => resultIn(await (await fetch(`${address}api`)).text())),
  },
];
