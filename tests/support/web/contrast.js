/** How well two colours are told apart, by the formula of WCAG 2. */

/** Of a colour as a browser computes it: its channels, with the opacity if there is one. */
const parts = (/** @type {string} */ colour) => colour.match(/[\d.]+/g)?.map(Number) ?? [];

/** The opacity of a computed colour. @param {string} colour */
export const opacity = (colour) => parts(colour)[3] ?? 1;

/** @param {string} colour */
function luminance(colour) {
  const [red, green, blue] = parts(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. Both colours are opaque. @param {string} one @param {string} other */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
