/**
 * Several maps that are one stop of the Tab key: the one that had the focus last, at first the
 * first. Page keys go from one to the next.
 */

/** @typedef {import('./heatmap.js').Heatmap} Heatmap */

/** @type {WeakSet<Heatmap>} */
const heard = new WeakSet();

/** @param {readonly Heatmap[]} maps */
export function rove(maps) {
  const stop = (/** @type {Heatmap} */ one) =>
    maps.forEach((map) => (map.cursor.tabIndex = map === one ? 0 : -1));
  if (maps.length) stop(maps.find((map) => map.cursor === document.activeElement) ?? maps[0]);
  for (const map of maps) {
    map.stop = stop;
    if (heard.has(map)) continue;
    heard.add(map);
    map.cursor.addEventListener('focus', () => map.stop(map));
  }
}
