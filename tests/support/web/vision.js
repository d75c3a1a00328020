/**
 * Colours as readers see them who lack a kind of cone, and how far two colours are apart. The
 * matrices for a missing cone are those of Machado et al. (2009). The distance is CIEDE2000, in the
 * form of Sharma et al. (2005).
 */

/** Of linear red, green and blue. */
const SEEN = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deutan: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritan: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};
export const VISIONS = Object.keys(SEEN);

/** Rows of linear sRGB in XYZ, each over that of white. */
const XYZ = [
  [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
];

/** The channels of `#rrggbb`, from 0 to 255. @param {string} hex */
export const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/**
 * CIE L*a*b* of a colour as it is seen.
 * @param {ArrayLike<number>} rgb from 0 to 255
 * @param {string} vision
 */
export function lab(rgb, vision) {
  const linear = Array.from(rgb, (byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const seen = [0, 3, 6].map((row) => {
    const sum = linear.reduce((all, x, c) => all + SEEN[vision][row + c] * x, 0);
    return Math.min(1, Math.max(0, sum));
  });
  const [x, y, z] = XYZ.map((row) => {
    const t = row.reduce((all, factor, c) => all + factor * seen[c], 0);
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (degrees) => (degrees * Math.PI) / 180;
const hueOf = (a, b) => (a || b ? ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360 : 0);

/** CIEDE2000. @param {number[]} one L*a*b* @param {number[]} other */
export function difference([L1, a1, b1], [L2, a2, b2]) {
  const chroma7 = ((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) ** 7;
  const G = 0.5 * (1 - Math.sqrt(chroma7 / (chroma7 + 25 ** 7)));
  const [x1, x2] = [(1 + G) * a1, (1 + G) * a2];
  const [C1, C2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const [h1, h2] = [hueOf(x1, b1), hueOf(x2, b2)];
  const grey = !C1 || !C2;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dH = 2 * Math.sqrt(C1 * C2) * Math.sin(radians(turn / 2));
  const L = (L1 + L2) / 2;
  const C = (C1 + C2) / 2;
  const h = grey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const lightness = (L2 - L1) / (1 + (0.015 * (L - 50) ** 2) / Math.sqrt(20 + (L - 50) ** 2));
  const chroma = (C2 - C1) / (1 + 0.045 * C);
  const hue = dH / (1 + 0.015 * C * t);
  const bend =
    -Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2)))) *
    2 *
    Math.sqrt(C ** 7 / (C ** 7 + 25 ** 7));
  return Math.sqrt(lightness ** 2 + chroma ** 2 + hue ** 2 + bend * chroma * hue);
}
