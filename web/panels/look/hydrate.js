/** Reads the first frame of the look, which is in the page as HTML, back into numbers. */

/** @typedef {NonNullable<ReturnType<typeof read>>} FirstFrame */

/** @type {FirstFrame | undefined} */
let known;

/**
 * The tokens of the first frame, and the row that it shows. It is read only once, because the look
 * replaces it.
 */
export const firstFrame = () => (known ??= read(document));

/** @param {ParentNode} root */
function read(root) {
  const frame = root.querySelector('.look-frame');
  if (!(frame instanceof HTMLElement)) return undefined;
  const { tokens = '', head = '0 0', at = '0' } = frame.dataset;
  const spans = [...frame.querySelectorAll('.token')];
  const texts = spans.map((span) => span.textContent ?? '');
  const [layer, index] = head.split(' ').map(Number);
  return {
    tokens: tokens.split(' ').map((id, i) => ({ id: Number(id), text: texts[i] })),
    head: { layer, head: index },
    at: Number(at),
    /** The weights of the row, on the tokens up to its own. */
    weights: spans
      .slice(0, Number(at) + 1)
      .map((span) => Number(span instanceof HTMLElement ? span.dataset.value : NaN)),
  };
}
