/**
 * Measures the built page in Chromium. It prints the bytes that were sent and the first contentful
 * paint. Then come the time until the kernels answered, long tasks while a slider is dragged, and
 * memory over 1,000 changes. The processor is as it is or four times slower, the network fast or
 * slow 4G.
 *
 *   npm run site && npm run page:measure [-- --changes 100]
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const SITE = fileURLToPath(new URL('../../build/site/', import.meta.url));
const PATH = '/some/where/';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};
/** Slow 4G, as browsers' own tools have it. */
const SLOW = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const given = process.argv.indexOf('--changes');
const CHANGES = given < 0 ? 1000 : Number(process.argv[given + 1]);
const LONG = 50;

/** Bytes of bodies that were sent since the page was opened. */
const sent = { page: 0, model: 0 };

/** A plain host that sends the brotli files. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const path = pathname === PATH ? 'index.html' : normalize(pathname.slice(PATH.length));
  const file = join(SITE, path);
  if (!file.startsWith(SITE) || !existsSync(file) || !statSync(file).isFile())
    return void response.writeHead(404).end();
  const packed = existsSync(`${file}.br`);
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    ...(packed && { 'content-encoding': 'br' }),
  });
  const body = readFileSync(packed ? `${file}.br` : file);
  sent[file.endsWith('.gguf') ? 'model' : 'page'] += body.length;
  response.end(body);
});

/** In the page, before all else: long tasks from here on. */
function watchTasks() {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longTasks.push(Math.round(duration));
  }).observe({ type: 'longtask', buffered: true });
}

/** Opens the page and waits for its kernels. */
async function open(browser, url, { slowdown, network }) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  const protocol = await page.context().newCDPSession(page);
  Object.assign(sent, { page: 0, model: 0 });
  await protocol.send('Network.enable');
  if (network) await protocol.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(watchTasks);
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(() => document.documentElement.dataset.engine === 'ready', null, {
    timeout: 120000,
  });
  const live = await page.evaluate(() => performance.now());
  await page.waitForTimeout(2000);
  const first = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  );
  return { page, protocol, bytes: { ...sent }, first, live };
}

/** Drags the first slider of a panel to and fro, and returns the long tasks of that. */
async function drag(page, id) {
  const slider = page.locator(`#${id}-panel input[type="range"]`).first();
  await page.evaluate((name) => document.getElementById(name)?.scrollIntoView(), id);
  await slider.waitFor({ timeout: 60000 });
  await page.waitForTimeout(1500);
  const box = await slider.boundingBox();
  await page.evaluate(() => void (globalThis.longTasks = []));
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  for (let step = 0; step < 60; step++) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.4 * Math.sin(step / 6)), y);
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await page.waitForTimeout(300);
  const tasks = await page.evaluate(() => globalThis.longTasks);
  return { over: tasks.filter((task) => task > LONG).length, longest: Math.max(0, ...tasks) };
}

/** The heap in MB, collected. */
async function heap(protocol) {
  await protocol.send('HeapProfiler.enable');
  await protocol.send('HeapProfiler.collectGarbage');
  const { usedSize } = await protocol.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Sets the temperature of the first look again and again. */
async function change(page, times) {
  await page.evaluate(async (count) => {
    const slider = document.querySelector('#one-look-panel input[type="range"]');
    for (let at = 0; at < count; at++) {
      slider.value = String(Number(slider.min) + (at % 50) * 0.04);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise(requestAnimationFrame);
    }
  }, times);
}

await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}${PATH}`;
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const round = (value) => Math.round(value);
for (const slowdown of [1, 4])
  for (const network of [false, true]) {
    const { page, bytes, first, live } = await open(browser, url, { slowdown, network });
    console.log(
      `processor ÷${slowdown}, ${network ? 'slow 4G' : 'no network limit'}: ` +
        `first paint ${round(first)} ms, live ${round(live)} ms, ` +
        `${(bytes.page / 1000).toFixed(1)} kB and ${(bytes.model / 1000).toFixed(1)} kB of model`,
    );
    if (!network)
      for (const id of ['one-look', 'many-heads', 'distance']) {
        const { over, longest } = await drag(page, id);
        console.log(`  drag in ${id}: ${over} tasks over ${LONG} ms, the longest ${longest} ms`);
      }
    await page.close();
  }
const { page, protocol } = await open(browser, url, { slowdown: 1, network: false });
await page.evaluate(() => document.getElementById('one-look')?.scrollIntoView());
await page.locator('#one-look-panel input[type="range"]').first().waitFor({ timeout: 60000 });
await change(page, 100);
const before = await heap(protocol);
await change(page, CHANGES);
const after = await heap(protocol);
console.log(`memory: ${before.toFixed(2)} MB, after ${CHANGES} changes ${after.toFixed(2)} MB`);
await browser.close();
server.close();
