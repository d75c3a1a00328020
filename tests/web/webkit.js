/**
 * Debian's WebKit under a virtual screen. Playwright has no driver for it, so it is spoken to as
 * the WebDriver standard says.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';

const DRIVER = process.env.WEBKIT_DRIVER ?? '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/xvfb-run';
const absent = [DRIVER, SCREEN].find((path) => !existsSync(path));
/** Why it is not there, or false. */
export const missing = absent ? `skipped, not present: ${absent}` : false;

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
const moment = () => new Promise((done) => setTimeout(done, 100));

/** Asks until the driver listens, or has ended. */
async function listens(url, driver) {
  for (;;) {
    const ready = await fetch(`${url}/status`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    if (driver.exitCode !== null) throw new Error(`the driver ended with ${driver.exitCode}`);
    await moment();
  }
}

/** A browser with one page. */
export async function launch() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // a group of its own, so that screen, driver and browser end together
  const driver = spawn(
    SCREEN,
    ['-a', '-s', '-screen 0 2000x1300x24', DRIVER, `--port=${port}`, '--host=127.0.0.1'],
    { detached: true, stdio: 'ignore' },
  );
  const stop = () => process.kill(-driver.pid);
  try {
    await listens(url, driver);
    const { sessionId } = await send(`${url}/session`, 'POST', { capabilities: {} });
    return new Page(`${url}/session/${sessionId}`, stop);
  } catch (error) {
    stop();
    throw error;
  }
}

/** A command of the standard, and its value. */
async function send(url, method, body) {
  const answer = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`WebDriver ${url}: ${value.error}: ${value.message}`);
  return value;
}

class Page {
  constructor(url, stop) {
    this.url = url;
    this.stop = stop;
  }

  post = (path, body = {}) => send(this.url + path, 'POST', body);

  /**
   * Opens an address in a frame of a blank page of its site, since a window is never as narrow as a
   * phone. Everything after this happens in the frame.
   */
  async open(blank, address) {
    await this.post('/window/rect', { width: 1500, height: 1100 });
    await this.post('/url', { url: blank });
    await this.evaluate((src) => {
      const frame = Object.assign(document.createElement('iframe'), { src });
      frame.style.cssText = 'border: 0; width: 1280px; height: 800px';
      document.body.append(frame);
    }, address);
    await this.post('/frame', { id: await this.find('iframe') });
    await this.until(() => document.readyState === 'complete');
  }

  /** The frame has another width. */
  async widen(width) {
    await this.evaluate((width) => {
      window.frameElement.style.width = `${width}px`;
    }, width);
    await this.until((width) => innerWidth === width, width);
  }

  find = (selector) => this.post('/element', { using: 'css selector', value: selector });

  /** Calls a function in the page. */
  evaluate = (f, ...args) =>
    this.post('/execute/sync', { script: `return (${f})(...arguments)`, args });

  /** Until a function has something true to say. */
  async until(f, ...args) {
    for (const end = Date.now() + 60000; ; await moment()) {
      const value = await this.evaluate(f, ...args);
      if (value) return value;
      if (Date.now() > end) throw new Error(`never true in WebKit: ${f}`);
    }
  }

  /** A mouse that goes to the middle of an element, and may press there. */
  async point(selector, press = false) {
    const origin = await this.find(selector);
    const actions = [{ type: 'pointerMove', origin, x: 0, y: 0, duration: 0 }];
    if (press) actions.push({ type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 });
    await this.post('/actions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }],
    });
  }

  /** The inside of the window, as the bytes of a PNG. */
  async screenshot() {
    return Buffer.from(await send(`${this.url}/screenshot`, 'GET'), 'base64');
  }

  async close() {
    await send(this.url, 'DELETE').catch(() => {});
    this.stop();
  }
}
