/**
 * The float64 pass of forward.js with interventions, as docs/interventions.md defines them. It
 * shares no code with src.
 */
import { forward } from './forward.js';

const has = (list, x) => list === undefined || [...list].includes(x);

/**
 * @param {Parameters<typeof forward>[0]} model
 * @param {number[]} tokens
 * @param {any[]} list
 * @param {number} [prompt] tokens that a mean is of
 */
export const intervened = (model, tokens, list, prompt = tokens.length) =>
  pass(model, tokens, list, meansOf(model, tokens.slice(0, prompt), list));

/** With `watch` the means are measured: it sees z at the place of each entry. */
function pass(model, tokens, list, means, watch) {
  const { num_attention_heads: heads, hidden_size: dim, head_dim } = model.config;
  const d = head_dim ?? dim / heads;
  const within = (entry, layer, head) =>
    has(entry.layer === undefined ? undefined : [entry.layer], layer) &&
    has(entry.head === undefined ? undefined : [entry.head], head);
  const last = (entries) => entries[entries.length - 1];

  return forward(model, tokens, {
    temperature: (layer, head) =>
      last(list.filter((e) => 'temperature' in e && within(e, layer, head)))?.temperature ?? 1,
    sees: (layer, head, position, key) =>
      !list.some(
        (e) =>
          e.knockOut &&
          within(e, layer, head) &&
          has(e.knockOut.queries, position) &&
          has(e.knockOut.keys, key),
      ),
    pattern: (layer, head, position, first) => {
      const entry = last(
        list.filter(
          (e) =>
            (e.pattern || e.patch === 'pattern') &&
            within(e, layer, head) &&
            has(e.positions ?? e.from?.positions, position),
        ),
      );
      return entry && rowOf(entry, layer, head, position, first, heads);
    },
    hook: (name, layer, position, x) => {
      const y = Float64Array.from(x);
      for (const e of list) {
        if (e.layer !== layer) continue;
        if (name === 'z' && e.gain === 'mean') watch?.(e, y);
        if (!has(e.positions, position)) continue;
        const [from, to] =
          name === 'z' && e.head !== undefined ? [e.head * d, (e.head + 1) * d] : [0, y.length];
        for (let c = from; c < to; c++)
          if (name === (e.at ?? 'resid_pre') && e.add) y[c] += (e.gain ?? 1) * e.add[c - from];
          else if (name === e.patch && has(e.from.positions, position))
            y[c] = valueOf(e.from, name, layer, position, c, y.length);
          else if (name === 'z' && e.gain === 'mean') y[c] = means ? means.get(e)[c] : y[c];
          else if (name === 'z' && !e.add && e.gain !== undefined) y[c] *= e.gain;
      }
      return y;
    },
  });
}

/** The number c of a point in a trace. */
function valueOf(trace, name, layer, position, c, width) {
  const l = trace.layers.indexOf(layer);
  const p = [...trace.positions].indexOf(position);
  return trace[name][(l * trace.positions.length + p) * width + c];
}

/** The weights of a fixed row. */
function rowOf(entry, layer, head, position, first, heads) {
  const keys = Array.from({ length: position + 1 }, (_, key) => key);
  if (entry.patch) {
    const { from } = entry;
    const at = from.layers.indexOf(layer) * heads + head;
    const p = [...from.positions].indexOf(position);
    const n = from.tokens.length;
    return keys.map((key) => from.pattern[(at * from.positions.length + p) * n + key]);
  }
  switch (entry.pattern) {
    case 'uniform':
      return keys.map((key) => (key >= first ? 1 / (position + 1 - first) : 0));
    case 'first':
      return keys.map((key) => (key === first ? 1 : 0));
    case 'previous':
      return keys.map((key) => (key === Math.max(first, position - 1) ? 1 : 0));
    default: {
      const at = entry.positions ? entry.positions.indexOf(position) : position;
      const row = entry.pattern[at];
      return row && keys.map((key) => row[key]);
    }
  }
}

/** The mean z over a prompt at the place of each entry that needs one, with the others. */
function meansOf(model, tokens, list) {
  const sums = new Map();
  if (list.some((e) => e.gain === 'mean'))
    pass(model, tokens, list, undefined, (entry, z) => {
      sums.set(
        entry,
        z.map((x, c) => (sums.get(entry)?.[c] ?? 0) + x / tokens.length),
      );
    });
  return sums;
}
