import { ClearheadError, describe, refuse } from '../errors.js';

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

export const acceptsRelaxed = () =>
  WebAssembly.validate(Uint8Array.from(RELAXED.match(/../g) ?? [], (hex) => parseInt(hex, 16)));

/**
 * The files of this package, named literally so that bundlers see them; and not before one is
 * wanted, for a bundle that is no module does not know where it is.
 * @param {boolean} relaxed
 */
export const fileOf = (relaxed) =>
  relaxed
    ? new URL('./attn.relaxed.wasm', import.meta.url)
    : new URL('./attn.simd.wasm', import.meta.url);

/**
 * Compiles a source. Errors say more than "CompileError", which helps nobody.
 * @param {import('../types.d.ts').WasmSource} source
 * @param {string} [name] of the source, for errors
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source, name = 'wasm') {
  if (source instanceof WebAssembly.Module) return source;
  const [buffer, streamed] = await bytesOf(source, name);
  const bytes = new Uint8Array(buffer);
  const start = String.fromCharCode(...bytes.subarray(0, 9));
  if (!start.startsWith('\0asm'))
    refuse(
      'FORMAT',
      name,
      `${bytes.length} bytes beginning ${JSON.stringify(start)}`,
      'a wasm file ("<" begins a web page)',
    );
  // scripts/seal.js ends the file with a checksum (FNV-1a, in words) of all before it, which no
  // flipped byte passes
  const words = new Int32Array(buffer, 0, bytes.length >> 2);
  const sum = words
    .subarray(0, -1)
    .reduce((hash, word) => Math.imul(hash ^ word, 0x01000193), 0x811c9dc5);
  if (bytes.length & 3 || words.at(-1) !== sum)
    throw new ClearheadError('INTEGRITY', `${name} is damaged or of another version`);
  try {
    return (await streamed) ?? (await WebAssembly.compile(buffer));
  } catch (cause) {
    // a content security policy shows only here: validate does not know of it
    const policy = WebAssembly.validate(bytes);
    throw new ClearheadError(
      'ENV',
      policy
        ? "the content security policy needs script-src 'wasm-unsafe-eval'"
        : 'this engine lacks (relaxed) SIMD',
      { cause },
    );
  }
}

/** Node's own modules are not named literally, or bundlers for browsers would look for them. */
export const NODE = 'node:';

/**
 * A page knows what an address is relative to; elsewhere it must be whole, and paths are not
 * addresses.
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
  return refuse('ARG', name, describe(`${address}`), 'a URL (a file: pathToFileURL(path))');
}

/**
 * The bytes of a source. One that arrives in pieces is compiled meanwhile, which may fail.
 * @param {any} source see WasmSource
 * @param {string} name
 * @returns {Promise<[ArrayBuffer, Promise<WebAssembly.Module | void>?]>}
 */
async function bytesOf(source, name) {
  // a copy by this realm's own class: Node reads into another's, where this runs in a context of
  // its own
  if (ArrayBuffer.isView(source))
    source = new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice().buffer;
  if (source instanceof ArrayBuffer) return [source];
  const address = typeof source === 'string' || source instanceof URL;
  if (address) absolute(source, name);
  else if (!(source instanceof Response))
    refuse('ARG', name, describe(source), 'a URL, Response, bytes or WebAssembly.Module');
  try {
    // Node has its modules at hand, but for 21 and 22.0 to 22.2; importing one takes longer than
    // all else here
    if (/^file:/.test(source)) {
      const fs =
        globalThis.process?.getBuiltinModule?.('fs') ??
        (await import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}fs`));
      return bytesOf(fs.readFileSync(new URL(source)), name);
    }
    const response = address ? await fetch(source) : source;
    if (!response.ok) throw new Error(`status ${response.status}`);
    // a server that calls it something else than application/wasm loses nothing but time
    const streamed = WebAssembly.compileStreaming?.(response.clone()).catch(() => {});
    return [await response.arrayBuffer(), streamed];
  } catch (/** @type {any} */ cause) {
    throw new ClearheadError(
      'NET',
      `${name} was not read from ${address ? source : 'a Response'}: ${cause.message}`,
      { cause },
    );
  }
}
