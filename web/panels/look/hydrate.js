/** @typedef {NonNullable<ReturnType<typeof read>>} FirstFrame */

/** @type {FirstFrame | undefined} */
let known;

/**
 * The first frame of the page: its tokens, and the row that it shows. The look takes its place, so
 * it is read once.
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
    /** On the tokens up to that one. */
    weights: spans
      .slice(0, Number(at) + 1)
      .map((span) => Number(span instanceof HTMLElement ? span.dataset.value : NaN)),
  };
}
