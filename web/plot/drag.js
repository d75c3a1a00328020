/**
 * Dragging by mouse, pen or finger. A finger on the handle moves the handle; anywhere else on the
 * figure it scrolls the page. Chromium ignores `touch-action` inside an SVG, so the first touch
 * refuses the scroll itself.
 */

/**
 * @param {SVGElement | HTMLElement} handle
 * @param {(x: number, y: number) => void} move called with the pointer, in CSS pixels of the window
 */
export function draggable(handle, move) {
  handle.dataset.draggable = '';
  handle.addEventListener('touchstart', (event) => event.preventDefault(), { passive: false });
  handle.addEventListener('pointerdown', (event) => {
    const { pointerId } = /** @type {PointerEvent} */ (event);
    handle.setPointerCapture(pointerId);
    handle.classList.add('held');
    handle.focus({ preventScroll: true });
  });
  handle.addEventListener('pointermove', (event) => {
    const { pointerId, clientX, clientY } = /** @type {PointerEvent} */ (event);
    if (handle.hasPointerCapture(pointerId)) move(clientX, clientY);
  });
  for (const end of ['pointerup', 'pointercancel'])
    handle.addEventListener(end, () => handle.classList.remove('held'));
}
