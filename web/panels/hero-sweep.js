/**
 * The one movement of the page: T goes from hot to cold and settles, once, in three and a half
 * seconds. Readers who asked for less motion do not see it, and it does not run behind a hidden
 * tab. It ends at the first touch or focus, and is never written into the address.
 */

const FROM = 4;
const COLDEST = 0.05;
const WAIT = 1000;
const DOWN = 2200;
const BACK = 1300;

/** @param {import('../state.js').Signal<number>} T */
export function sweep(T) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden) return;
  const rest = T.value;
  const ends = [
    'pointerdown',
    'keydown',
    'focusin',
    'wheel',
    'touchstart',
    'hashchange',
    'popstate',
  ];
  const stopper = new AbortController();
  let over = false;
  const stop = () => {
    over = true;
    stopper.abort();
    T.set(rest);
    T.passing = false;
  };
  T.passing = true;
  for (const name of ends)
    addEventListener(name, stop, { capture: true, passive: true, signal: stopper.signal });
  document.addEventListener('visibilitychange', stop, { signal: stopper.signal });
  const ease = (/** @type {number} */ t) => t * t * (3 - 2 * t);
  const between = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ t) =>
    Number((a * (b / a) ** ease(t)).toPrecision(3));
  setTimeout(() => {
    const began = performance.now();
    const frame = () => {
      if (over) return;
      const t = performance.now() - began;
      T.set(
        t < DOWN
          ? between(FROM, COLDEST, t / DOWN)
          : between(COLDEST, rest, Math.min(1, (t - DOWN) / BACK)),
      );
      if (t < DOWN + BACK) requestAnimationFrame(frame);
      else stop();
    };
    frame();
  }, WAIT);
}
