/**
 * The newer Node that the tests also run on. npm gives every package's programs the first place on
 * the PATH of its scripts, so this one lives in a folder of its own.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';

const path = fileURLToPath(
  new URL(`node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

/** Its path, or null on a platform the registry has no package for. */
export const newerNode = existsSync(path) ? path : null;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (newerNode) console.log(execFileSync(newerNode, ['--version'], { encoding: 'utf8' }).trim());
  else console.log(`no newer Node for ${process.platform}-${process.arch}`);
}
