/**
 * Writes src/js/model/files/weight-types.js from the table in src/c/matrix/formats.c. Headers of
 * files are read without an engine, so the table is asked from the module when that is built.
 *
 *   node scripts/generate-weight-types.js
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const from = (path) => fileURLToPath(new URL(`../src/js/${path}`, import.meta.url));
const TARGET = from('model/files/weight-types.js');
/** All types are below this, weights.h says. */
const TYPES_END = 64;

/** The rows of the table: name, number, weights in a block, bytes of a block. */
function readTable() {
  const module = new WebAssembly.Module(readFileSync(from('engine/model.simd.wasm')));
  const memory = new WebAssembly.Memory({ initial: 16, maximum: 65536 });
  const env = { memory, now: () => 0 };
  const c = /** @type {any} */ (new WebAssembly.Instance(module, { env }).exports);
  const bytes = new Uint8Array(memory.buffer);
  const rows = [];
  for (let id = 0; id < TYPES_END; id++) {
    const at = c.attn_weight_type_name(id);
    if (!at) continue;
    const name = new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
    const block = c.attn_weight_type_block(id);
    rows.push({ name, id, block, bytes: c.attn_weight_type_block_bytes(id) });
  }
  return rows;
}

/** The file as it should be. */
export function weightTypesFile() {
  const lines = readTable().map(
    ({ name, id, block, bytes }) => `  ${name}: { id: ${id}, block: ${block}, bytes: ${bytes} },\n`,
  );
  return `/**
 * The types of weights: their number in GGUF, elements per block, bytes per block. Blocks lie along
 * the last axis of a shape.
 *
 * Written by scripts/generate-weight-types.js from src/c/matrix/formats.c by npm run format.
 */
export const TYPES = {
${lines.join('')}};
`;
}

export const currentFile = () => readFileSync(TARGET, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = weightTypesFile();
  if (currentFile() !== text) writeFileSync(TARGET, text);
}
