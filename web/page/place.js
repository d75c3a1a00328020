/**
 * The place of the window in the page. Words that are being read keep theirs while the page above
 * them grows or shrinks.
 */

/** The elements that a place is known by. Figures replace what is inside of them. */
const MARKS = 'h1, h2, h3, p, li, dt, figure, table, details, input, button, .controls, .code';
/** Marks that are remembered, as those of another depth go. */
const SPARE = 40;
/** Frames after the last one that is drawn, in which the layout may still change. */
const FRAMES = 12;
/** After these the reader moves the page, and the place is another one. */
const BY_HAND = ['wheel', 'touchstart', 'pointerdown', 'keydown'];

/** @typedef {{ element: Element, top: number }} Mark */

/** @param {Element} element @returns {Mark} */
const markOf = (element) => ({ element, top: element.getBoundingClientRect().top });

/** @param {Element} element */
function isInWindow(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight && element.checkVisibility();
}

/**
 * The elements in the window, the one whose top is nearest to that of the window first. A control
 * that has the focus is before them all.
 * @returns {Mark[]}
 */
function marks() {
  const near = [...document.querySelectorAll(`main :is(${MARKS})`)]
    .filter(isInWindow)
    .map(markOf)
    .sort((a, b) => Math.abs(a.top) - Math.abs(b.top))
    .slice(0, SPARE);
  const { activeElement: focus, body } = document;
  return focus && focus !== body && isInWindow(focus) ? [markOf(focus), ...near] : near;
}

/** @param {readonly Mark[]} places */
function restore(places) {
  const place = places.find(({ element }) => element.isConnected && element.checkVisibility());
  if (place) scrollBy({ top: markOf(place.element).top - place.top, behavior: 'instant' });
}

/** Ends the scrolling of the last change. */
let over = new AbortController();

/**
 * Scrolls now, and again while the page is drawn, until the reader moves it or another change has
 * another place.
 * @param {() => void} scroll @param {() => boolean} [waits] whether something is still to come
 */
function whileDrawn(scroll, waits = () => false) {
  over.abort();
  const own = new AbortController();
  over = own;
  for (const name of BY_HAND)
    addEventListener(name, () => own.abort(), { signal: own.signal, passive: true });
  let frames = FRAMES;
  const again = () => {
    if (own.signal.aborted) return;
    scroll();
    if (!('drawing' in document.documentElement.dataset) && !waits()) frames--;
    if (frames) requestAnimationFrame(again);
    else own.abort();
  };
  again();
}

/**
 * Changes the page, and brings the place back.
 * @param {() => void} change
 */
export function keepPlace(change) {
  const places = marks();
  change();
  whileDrawn(() => restore(places));
}

/**
 * Scrolls until an element is where it was, or a reader moves the page. Figures above may change
 * their height while they are drawn.
 * @param {Mark} place
 */
export function bringBack(place) {
  requestAnimationFrame(() => whileDrawn(() => restore([place])));
}

/**
 * Changes the page above controls. In the window they stay where they are while they are used.
 * @param {Element} controls @param {() => void} change
 */
export function keepUnderHand(controls, change) {
  const used = controls.matches(':hover, :focus-within') && isInWindow(controls);
  const place = used && markOf(controls);
  change();
  if (place) restore([place]);
}

/**
 * Brings an element to the top of the window. A reader may also scroll without a press that is
 * heard, as a search in the page does. Then the window stays there. A browser scrolls, too, as the
 * page above the element grows. A reader who scrolls in the same frame is not heard.
 * @param {Element} element @param {() => boolean} waits whether something is still to come
 */
export function bringUp(element, waits) {
  const { documentElement: root } = document;
  let frame = 0;
  let left = 0;
  /** Of the element, in pixels of the page. */
  let fromTop = 0;
  whileDrawn(() => {
    const kept = Math.min(left, root.scrollHeight - innerHeight);
    const stays = Math.abs(scrollY + markOf(element).top - fromTop) < 1;
    // before the first frame the page goes to the section of the link
    if (frame++ > 1 && waits() && stays && Math.abs(scrollY - kept) > 1) return over.abort();
    if (element.isConnected) element.scrollIntoView({ behavior: 'instant' });
    left = scrollY;
    fromTop = scrollY + markOf(element).top;
  }, waits);
  // the anchors of a browser would scroll as well
  root.style.overflowAnchor = 'none';
  over.signal.addEventListener('abort', () => void (root.style.overflowAnchor = ''));
}
