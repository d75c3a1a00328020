/** The command that prints which heads matter, on the model in web/model. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';

const at = (path) => new URL(`../../../${path}`, import.meta.url);
const FILE = at('web/model/stories-Q8_0.gguf');
const PROMPT = 'Tom had a red ball. Lily saw the red';

test('the table of ablations has the change and the answer of each head', async () => {
  const model = await loadModel(FILE, { engine: await init({ layers: true, threads: 1 }) });
  const { layers, heads } = model.config;
  const ids = model.tokenizer.encode(PROMPT);
  const logits = Array.from({ length: layers * heads + 1 }, (_, x) => {
    const [layer, head] = [Math.floor(x / heads), x % heads];
    model.intervene(x < layers * heads ? [{ layer, head, gain: 0 }] : []);
    model.cache.clear();
    return Float64Array.from(model.prefill(ids).logits);
  });
  const plain = logits.pop();
  const best = (z) => z.indexOf(Math.max(...z));
  const answer = best(plain);
  const log = (z) => z[answer] - Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0));

  const args = [at('bench/inspect/ablations.js'), FILE].map((url) => fileURLToPath(url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, PROMPT], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const rows = stdout.split('\n').filter((line) => /^ +\d+ {2}/.test(line));
  const cells = rows.flatMap((row) => row.trim().split(/\s+/).slice(1));
  assert.equal(cells.length, layers * heads);
  logits.forEach((z, x) => {
    const change = log(z) - log(plain);
    assert.ok(Math.abs(Number.parseFloat(cells[x]) - change) < 6e-4, `${cells[x]}, not ${change}`);
    assert.equal(cells[x].endsWith('*'), best(z) !== answer);
  });
  const lost = stdout.match(/^without \d+\.\d+ it is /gm) ?? [];
  assert.equal(lost.length, cells.filter((cell) => cell.endsWith('*')).length);
  model.dispose();
});
