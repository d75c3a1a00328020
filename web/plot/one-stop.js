/** Buttons that are one stop of the Tab key. Arrow keys, Home and End go from one to another. */

/**
 * @param {HTMLElement} element that has the buttons
 * @param {() => number} [columns] of a grid: Up and Down go so far; default 1
 * @returns {() => void} to be called when the buttons are new
 */
export function oneStop(element, columns = () => 1) {
  const buttons = () => [...element.querySelectorAll('button')];
  const stop = (/** @type {Element | null | undefined} */ at) => {
    for (const button of buttons()) button.tabIndex = button === at ? 0 : -1;
  };
  element.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLButtonElement) stop(target);
  });
  element.addEventListener('keydown', (event) => {
    const all = buttons();
    const at = all.findIndex((button) => button === document.activeElement);
    const to = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + columns(),
      ArrowUp: at - columns(),
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  });
  return () => stop(buttons()[0]);
}
