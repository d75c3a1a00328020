/** Elements, with attributes and children in one line. Text is always set as text, never parsed. */

/** @typedef {Node | string | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * Sets those that changed, so that nothing is styled or announced for nothing.
 * @param {Element} element @param {Attributes} attributes
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? '' : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/** @param {Element} element @param {readonly Child[]} children */
function append(element, children) {
  for (const child of children) if (child) element.append(child);
}

/**
 * New children for an element. One that stays is not taken out for a moment, which would cost it
 * the focus and the pointer. Those that stay keep their order.
 * @param {Element} parent @param {readonly Element[]} children
 */
export function redraw(parent, children) {
  for (const old of [...parent.children]) if (!children.includes(old)) old.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/** The element with this id; the page is wrong without it. @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element “${id}”`);
  return element;
}

/**
 * Sets text only when it changed, so that nothing is laid out or announced for nothing.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const live = /** @type {{ region?: HTMLElement, timer: number }} */ ({ timer: 0 });

/**
 * Says it politely to a screen reader, once the reader's hand has rested for a quarter of a second.
 * @param {string} text
 */
export function announce(text) {
  live.region ??= document.body.appendChild(
    html('div', { class: 'visually-hidden', 'aria-live': 'polite', id: 'live' }),
  );
  const { region } = live;
  clearTimeout(live.timer);
  live.timer = window.setTimeout(() => setText(region, text), 250);
}
