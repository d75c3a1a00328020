/** @param {import('../../page/state.js').Store} store */
export const state = (store) => ({
  /** Heads that are changed, as layer.head joined by _. */
  heads: store.add('labHeads', /** @type {readonly string[]} */ ([]), {
    parse: (text) => {
      const list = text.split('_').filter(Boolean);
      return list.every((each) => /^\d{1,3}\.\d{1,3}$/.test(each)) ? list : undefined;
    },
    format: (list) => list.join('_'),
    clamp: (list) => [...new Set(list)].slice(0, 1024),
    range: 'a list of heads such as 1.3_2.0',
  }),
  how: store.choice('labHow', 'off', ['off', 'blind']),
  /** Words of the prompt that are hidden, as positions joined by _. */
  hidden: store.add('labHidden', /** @type {readonly number[]} */ ([]), {
    parse: (text) => (/^\d{1,3}(_\d{1,3})*$/.test(text) ? text.split('_').map(Number) : undefined),
    format: (list) => list.join('_'),
    clamp: (list) => [...new Set(list)].slice(0, 256),
    range: 'a list of positions such as 3_4',
  }),
});
