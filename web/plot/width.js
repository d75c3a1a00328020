/** Charts are drawn for the width they have, so that text keeps its size on a phone. */

/**
 * Calls back with the width of an element, now and whenever it changes.
 * @param {Element} element
 * @param {(width: number) => void} draw
 */
export function onWidth(element, draw) {
  let last = 0;
  const check = () => {
    const width = Math.floor(element.clientWidth);
    if (width === last || width === 0) return;
    last = width;
    draw(width);
  };
  new ResizeObserver(() => requestAnimationFrame(check)).observe(element);
  check();
}
