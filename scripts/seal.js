/**
 * Ends a wasm file with a checksum of all before it, so that the loader can tell a damaged file: a custom section `sum` whose last
 * four bytes are the FNV-1a hash. Usage: node scripts/seal.js FILE...
 */
import { readFileSync, writeFileSync } from 'node:fs';

for (const file of process.argv.slice(2)) {
  // custom section: id 0, 8 bytes long, a name of 3 letters, the hash
  const bytes = Buffer.concat([readFileSync(file), Buffer.from([0, 8, 3, ...Buffer.from('sum')])]);
  const hash = bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193), 0x811c9dc5);
  const end = Buffer.alloc(4);
  end.writeInt32LE(hash);
  writeFileSync(file, Buffer.concat([bytes, end]));
}
