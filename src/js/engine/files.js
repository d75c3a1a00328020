/**
 * The files of this package, each by a literal address, as bundlers want them. The single files
 * of dist have inline/files.js instead.
 */
import { ClearheadError } from '../errors.js';
import { isAddress } from '../kinds.js';
import { BUNDLED } from './load.js';

/**
 * Makes an address when it is needed and not before: a bundle that is no module has no address of
 * its own, and needs none while it loads no files.
 * @template T
 * @param {() => T} make
 * @returns {T}
 */
export function located(make) {
  /** @type {T} */
  let made;
  try {
    made = make();
  } catch (cause) {
    throw new ClearheadError('ENV', `this bundle does not know its own address${BUNDLED}`, {
      cause,
    });
  }
  // a page knows what a path is relative to
  if (isAddress(made) && !/^[a-z][a-z\d+.-]*:/i.test(String(made)) && !globalThis.location)
    throw new ClearheadError(
      'ENV',
      `this bundle turned an address into the path ${made}, which no server can read${BUNDLED}`,
    );
  return made;
}

/** The kernels of attention. @param {boolean} relaxed */
export const attentionFile = (relaxed) =>
  located(() =>
    relaxed
      ? new URL('./attn.relaxed.wasm', import.meta.url)
      : new URL('./attn.simd.wasm', import.meta.url),
  );

/** The larger files, which hold these and models. @param {boolean} relaxed */
export const modelFile = (relaxed) =>
  located(() =>
    relaxed
      ? new URL('./model.relaxed.wasm', import.meta.url)
      : new URL('./model.simd.wasm', import.meta.url),
  );
