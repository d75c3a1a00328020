/**
 * Marks the memory that a wasm file imports as unshared. The instructions for a shared one are
 * valid there too, and threads.js changes it back.
 *
 * Then it ends the file with a checksum of all before it, so that the loader can tell a damaged
 * file: a custom section `sum` whose last four bytes are the FNV-1a hash. It is taken over words of
 * four bytes because a loader waits for it. Usage: node scripts/seal.js FILE...
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** The import of a shared memory with a maximum, up to the flags of its limits. */
const MEMORY = '\x03env\x06memory\x02\x03';
/** Flags of a memory that has a maximum and is not shared. */
const UNSHARED = 1;

for (const file of process.argv.slice(2)) {
  const code = readFileSync(file);
  const limits = code.indexOf(MEMORY);
  if (limits >= 0) code[limits + MEMORY.length - 1] = UNSHARED;
  const filling = -(code.length + 6) & 3;
  // custom section: id 0, its length and a name of 3 letters. Zeros fill it up to a whole word, and
  // the hash ends it.
  const bytes = Uint8Array.from([
    ...code,
    0,
    8 + filling,
    3,
    ...Buffer.from('sum'),
    ...Buffer.alloc(filling),
  ]);
  const hash = new Int32Array(bytes.buffer).reduce(
    (sum, word) => Math.imul(sum ^ word, 0x01000193),
    0x811c9dc5,
  );
  writeFileSync(file, Buffer.concat([bytes, Buffer.from(Int32Array.of(hash).buffer)]));
}
