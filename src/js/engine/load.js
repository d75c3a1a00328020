import { bytesOfView } from '../arrays.js';
import { ClearheadError, live, refuse, refuseKind } from '../errors.js';
import { isAddress, isArrayBuffer, isResponse, tagOf } from '../kinds.js';
import { nodeModule } from './node.js';

/** A module with (func (param v128 v128 v128) (result v128) … f32x4.relaxed_madd), in hex. */
const RELAXED =
  '0061736d01000000' + // magic and version
  '0108016003' +
  '7b7b7b' +
  '017b' + // types: three v128 to one
  '03020100' + // functions
  '0a0d010b00' +
  '200020012002' +
  'fd85020b'; // code

/** Whether the engine has relaxed SIMD. Refuses one without WebAssembly. */
export function acceptsRelaxed() {
  if (typeof WebAssembly !== 'object')
    throw new ClearheadError(
      'ENV',
      'there is no WebAssembly here; lockdown modes and node --jitless switch it off',
    );
  return WebAssembly.validate(
    Uint8Array.from(RELAXED.match(/../g) ?? [], (hex) => parseInt(hex, 16)),
  );
}

/**
 * Compiles a source. Errors say more than "CompileError", which helps nobody.
 * @param {import('../types.d.ts').WasmSource} source
 * @param {string} [name] of the source, for errors
 * @param {(file: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} [change] makes the file that
 *   is compiled in its place
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source, name = 'wasm', change) {
  if (isModule(source)) return source;
  const [buffer, streamed] = await bytesOf(source, name, !change);
  const bytes = new Uint8Array(buffer);
  const start = String.fromCharCode(...bytes.subarray(0, 9));
  if (!start.startsWith('\0asm'))
    refuse('FORMAT', name, whatCame(source, bytes.length, start), 'a wasm file');
  // scripts/seal.js ends the file with a checksum (FNV-1a, in words) of all before it, which no
  // flipped byte passes
  const words = new Int32Array(buffer, 0, bytes.length >> 2);
  const sum = words
    .subarray(0, -1)
    .reduce((hash, word) => Math.imul(hash ^ word, 0x01000193), 0x811c9dc5);
  if (bytes.length & 3 || words.at(-1) !== sum)
    throw new ClearheadError('INTEGRITY', `${name} is damaged or of another version`);
  const code = change ? change(bytes) : buffer;
  try {
    return (await streamed) ?? (await WebAssembly.compile(code));
  } catch (cause) {
    // a content security policy shows only here: validate does not know of it
    const policy = WebAssembly.validate(bytes);
    throw new ClearheadError(
      'ENV',
      policy
        ? "the content security policy needs script-src 'wasm-unsafe-eval'; workerd needs import " +
            "wasm from 'clearhead/attn.simd.wasm' and init({ wasm })"
        : 'this engine lacks (relaxed) SIMD',
      { cause },
    );
  }
}

/**
 * Makes the handler of a failure to load a part.
 * @param {string} name
 * @returns {(cause: Error) => never}
 */
export const unloaded = (name) => (cause) => {
  throw new ClearheadError(
    'NET',
    `${name} did not load: ${cause.message}; service workers and worklets need clearhead/inline`,
    { cause },
  );
};

/** The remedy where a bundler left a file behind, or knows its address in pages alone. */
export const BUNDLED =
  '; leave the package outside a bundle for servers (serverExternalPackages of Next.js), or ' +
  'import clearhead/inline (docs/bundlers.md)';

/**
 * Describes the bytes that came instead of a wasm file.
 * @param {unknown} source
 * @param {number} length of its bytes
 * @param {string} start of them
 */
function whatCame(source, length, start) {
  const address = isResponse(source) ? source.url : isAddress(source) && source;
  const from = address ? ` from ${address}` : '';
  return /^\s*</.test(start)
    ? webPage(from)
    : `${length} bytes${from} beginning ${JSON.stringify(start)}`;
}

/** A page in the place of a file. @param {string} from its address, where it is known */
export const webPage = (from) =>
  `a web page${from}` +
  (/\/deps\//.test(from)
    ? " (with Vite import clearhead/inline, or set optimizeDeps: { exclude: ['clearhead'] })"
    : '');

/** @param {unknown} x @returns {x is WebAssembly.Module} */
export const isModule = (x) => tagOf(x) === 'WebAssembly.Module';

/**
 * In a page an address may be relative. Elsewhere it must be whole, and a path is no address.
 * @param {string | URL} address
 * @param {string} name
 * @returns {URL}
 */
export function absolute(address, name) {
  const path = /^[a-z]:/i.test(String(address)); // C:\model.gguf would pass as a URL
  try {
    if (!path) return new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    // said below
  }
  // as text: some bundlers have URLs of their own
  return refuseKind(name, `${address}`, 'a URL (a file: pathToFileURL(path))');
}

/**
 * The bytes of a source. One that arrives in pieces may be compiled meanwhile, which may fail.
 * @param {any} source see WasmSource
 * @param {string} name
 * @param {boolean} stream whether to compile it meanwhile
 * @returns {Promise<[ArrayBuffer, Promise<WebAssembly.Module | void>?]>}
 */
async function bytesOf(source, name, stream) {
  // a copy in a buffer of this realm: Node reads files into buffers of its main realm, also for a
  // context of node:vm
  if (ArrayBuffer.isView(source) || isArrayBuffer(source))
    return [bytesOfView(live(name, source)).slice().buffer];
  const address = isAddress(source);
  if (address) absolute(source, name);
  else if (!isResponse(source))
    refuseKind(name, source, 'a URL, Response, bytes or WebAssembly.Module');
  try {
    const text = String(source);
    if (/^file:/.test(text))
      return bytesOf((await nodeModule('fs')).readFileSync(new URL(text)), name, stream);
    const response = address ? await fetch(source) : source;
    if (!response.ok) throw new Error(`status ${response.status}`);
    // fails without the type application/wasm; then the bytes are compiled when all are there
    const streamed = stream
      ? WebAssembly.compileStreaming?.(response.clone()).catch(() => {})
      : undefined;
    return [await response.arrayBuffer(), streamed];
  } catch (/** @type {any} */ cause) {
    const from = address ? source : 'a Response';
    const missing = /ENOENT/.test(cause.message);
    const clone = /\/src\/js\/\w+\/[\w.]+\.wasm$/.test(String(from));
    const remedy = clone ? '; in a clone run npm run build first' : BUNDLED;
    const why = `${name} was not read from ${from}: ${cause.message}${missing ? remedy : ''}`;
    throw new ClearheadError('NET', why, { cause });
  }
}
