/**
 * The name of a head, everywhere in words: “2.5”, or “layer 2, head 5”. Both numbers count from 0.
 * A layer below 0 is none, and is left out.
 * @param {{ layer: number, head: number }} head
 * @param {'short' | 'long'} [form]
 */
export function headName({ layer, head }, form = 'short') {
  if (layer < 0) return `head ${head}`;
  return form === 'short' ? `${layer}.${head}` : `layer ${layer}, head ${head}`;
}
