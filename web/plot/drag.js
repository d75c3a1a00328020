/**
 * Dragging by mouse, pen or finger. A finger on the handle moves the handle; anywhere else on the
 * figure it scrolls the page. Chromium ignores `touch-action` inside an SVG, so the first touch
 * refuses the scroll itself.
 */

/**
 * A point of the window in the units of a drawing, which print may scale.
 * @param {Element} picture @param {number} width of the drawing
 * @param {number} clientX @param {number} clientY
 * @returns {[number, number]}
 */
export function pointIn(picture, width, clientX, clientY) {
  const box = picture.getBoundingClientRect();
  const scale = width / box.width;
  return [(clientX - box.left) * scale, (clientY - box.top) * scale];
}

/**
 * The window hears the pointer until it is lifted. The handle itself would miss the rest of a drag
 * that draws it anew, because an element that leaves the document loses its pointer.
 * @param {SVGElement | HTMLElement} handle
 * @param {(x: number, y: number) => void} move called with the pointer, in CSS pixels of the window
 */
export function draggable(handle, move) {
  handle.dataset.draggable = '';
  handle.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
  // a mouse selects no text on its way
  handle.addEventListener('mousedown', (event) => event.preventDefault());
  handle.addEventListener('pointerdown', (event) => {
    const { pointerId, button } = /** @type {PointerEvent} */ (event);
    if (button !== 0) return;
    handle.setPointerCapture(pointerId);
    handle.classList.add('held');
    handle.focus({ preventScroll: true });
    const drag = new AbortController();
    /** @param {string} type @param {(event: PointerEvent) => void} listener */
    const hear = (type, listener) =>
      window.addEventListener(
        type,
        (heard) => {
          const pointer = /** @type {PointerEvent} */ (heard);
          if (pointer.pointerId === pointerId) listener(pointer);
        },
        { signal: drag.signal },
      );
    hear('pointermove', ({ clientX, clientY }) => move(clientX, clientY));
    for (const end of ['pointerup', 'pointercancel'])
      hear(end, () => {
        drag.abort();
        handle.classList.remove('held');
      });
  });
}
