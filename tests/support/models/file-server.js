/** A tiny model as a file and behind a server whose answers have faults. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { tinyConfig, tinyGguf, tinyJson } from './tiny-models.js';

export const bytes = tinyGguf('qwen3');
export const html = '<!doctype html><title>Not found</title>';
export const folder = mkdtempSync(join(tmpdir(), 'clearhead source % # é-'));
export const file = pathToFileURL(join(folder, 'tiny model #1 %20.gguf'));
writeFileSync(file, bytes);
after(() => rmSync(folder, { recursive: true }));

/** The answers of the server, by path. */
const answers = {
  '/whole.gguf': (response) => response.setHeader('content-length', bytes.length).end(bytes),
  '/unsized.gguf': (response) => response.end(bytes),
  '/short.gguf': (response) => {
    response.setHeader('content-length', bytes.length);
    response.write(bytes.subarray(0, 700), () => response.destroy());
  },
  '/stalled.gguf': (response) =>
    void response
      .setHeader('content-length', bytes.length)
      .write(bytes.subarray(0, bytes.length - 9)),
  '/page.gguf': (response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  '/untold-page.gguf': (response) =>
    response.setHeader('content-type', 'application/octet-stream').end(html),
  '/absent.gguf': (response) => response.writeHead(404).end('no'),
  '/hf/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/hf/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/hf/chat_template.jinja': (response) => response.end('{{ messages }}'),
  // as a server of single-page applications answers everything
  '/hf/tokenizer.json': (response) => response.setHeader('content-type', 'text/html').end(html),
  '/hf/generation_config.json': (response) => response.writeHead(404).end('{}'),
  '/broken/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/broken/config.json': (response) => response.end('{"hidden_size": '),
  '/busy/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/busy/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/busy/tokenizer.json': (response) => response.writeHead(503).end('later'),
  '/cut/model.safetensors': (response) => response.end(tinyJson('llama').weights),
  '/cut/config.json': (response) => response.end(JSON.stringify(tinyConfig('llama'))),
  '/cut/tokenizer.json': (response) => {
    response.setHeader('content-length', 5000);
    response.write('{"model":{"type":"BPE"', () => response.destroy());
  },
  '/bare/model.safetensors': (response) => response.end(tinyJson('llama').weights),
};
const server = createServer((request, response) =>
  (answers[request.url.replace(/\?.*/, '')] ?? answers['/absent.gguf'])(response),
);
export let base;
before(
  () =>
    new Promise((done) =>
      server.listen(0, '127.0.0.1', () => {
        base = `http://127.0.0.1:${server.address().port}`;
        done();
      }),
    ),
);
after(() => {
  server.closeAllConnections();
  server.close();
});
