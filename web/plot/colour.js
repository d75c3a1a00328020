/**
 * The ramps: nine stops each, interpolated in OKLab to 256 colours. Their lightness is strictly
 * monotone in normal, protan, deutan and tritan vision, and zero is the paper they are printed on.
 */

/** @typedef {'weights' | 'difference'} Ramp */

const STOPS = {
  weights: {
    light: '#FCFAF6 #F6DCB4 #F2B279 #E98158 #CE5057 #A33266 #6F2467 #3D1857 #141032',
    dark: '#15171D #2A2252 #5A2975 #972F78 #C84869 #E97156 #F4A55B #F5D68B #FCF9D2',
  },
  difference: {
    light: '#003C79 #2463AE #5A8ED1 #A2C0E8 #FBFAF7 #E3B19D #C67352 #A04318 #692300',
    dark: '#BFE4FF #60B4EC #197CB3 #104463 #17191F #5F3218 #AB5D2B #E59567 #FFD4BC',
  },
};

/** NaN and infinity: a colour no ramp comes near. */
export const NAN_COLOUR = '#39FF14';

/** @param {string} hex */
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
/** @param {number} c */
const toLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
/** @param {number} c */
const fromLinear = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** Björn Ottosson's OKLab. @param {string} hex */
function toOklab(hex) {
  const [r, g, b] = channels(hex).map(toLinear);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** @param {readonly number[]} lab @returns {[number, number, number]} 0–255 */
function fromOklab([L, a, b]) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const byte = (/** @type {number} */ c) =>
    Math.round(255 * fromLinear(Math.min(1, Math.max(0, c))));
  return [
    byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** @type {Map<string, Uint8ClampedArray>} */
const tables = new Map();

/** 256 colours, r g b each. @param {Ramp} ramp @param {boolean} dark */
export function table(ramp, dark) {
  const name = `${ramp} ${dark}`;
  const known = tables.get(name);
  if (known) return known;
  const stops = STOPS[ramp][dark ? 'dark' : 'light'].split(' ').map(toOklab);
  const colours = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * 8;
    const k = Math.min(7, Math.floor(place));
    const t = place - k;
    colours.set(fromOklab(stops[k].map((x, c) => x + (stops[k + 1][c] - x) * t)), 3 * i);
  }
  tables.set(name, colours);
  return colours;
}

/** @type {Map<string, Uint32Array>} */
const pixelTables = new Map();

/**
 * The table as pixels: 256 colours, opaque, a word each.
 * @param {Ramp} ramp @param {boolean} dark
 */
export function pixelTable(ramp, dark) {
  const name = `${ramp} ${dark}`;
  const known = pixelTables.get(name);
  if (known) return known;
  const colours = table(ramp, dark);
  const bytes = new Uint8Array(4 * 256).fill(255);
  for (let i = 0; i < 256; i++) bytes.set(colours.subarray(3 * i, 3 * i + 3), 4 * i);
  const found = new Uint32Array(bytes.buffer);
  pixelTables.set(name, found);
  return found;
}

/** The table's colour at t in [0, 1]. @param {Ramp} ramp @param {boolean} dark @param {number} t */
export function colourAt(ramp, dark, t) {
  const at = 3 * Math.round(255 * Math.min(1, Math.max(0, t)));
  const colours = table(ramp, dark);
  return `rgb(${colours[at]} ${colours[at + 1]} ${colours[at + 2]})`;
}

/** Set while the page is drawn for paper, which is light whatever the screen is. */
export const medium = { paper: false };

/**
 * The choice of the system, which it keeps up to date.
 * @type {MediaQueryList | undefined}
 */
let system;

/** Is the page dark now: the reader's choice, else the system's. */
export function isDark() {
  if (medium.paper) return false;
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen === 'dark';
  system ??= matchMedia('(prefers-color-scheme: dark)');
  return system.matches;
}
