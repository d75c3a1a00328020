/**
 * Copies and changes in the middle of a pass, as decoder.h has them.
 *
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../../engine/exports.d.ts').Pointer} Pointer
 *
 * @typedef {object} Edit
 * @property {number} layer
 * @property {number} point an ATTN_AT
 * @property {number} kind an ATTN_EDIT
 * @property {readonly [number, number]} [rows] the first and their number; default all of the pass
 * @property {readonly [number, number]} [columns] the same; default all
 * @property {Pointer | undefined} [data]
 * @property {number} [stride] from one row of the data to the next; 0: all rows have the same
 * @property {number} [gain]
 */

/**
 * Adds the interventions of a pass that has begun.
 * @param {Memory} memory
 * @param {Pointer} pass
 * @param {ReturnType<import('./interventions.js').Interventions['plan']>} plan
 * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
 */
export function intervene(memory, pass, { edits, masks }, allocate) {
  const arrays = [...edits, ...masks].flatMap(({ numbers }) => numbers ?? []);
  let next = allocate(4 * arrays.reduce((sum, { length }) => sum + length, 0));
  const copied = (/** @type {Float32Array} */ numbers) => {
    const at = next;
    memory.view('float32', at, numbers.length).set(numbers);
    next += 4 * numbers.length;
    return at;
  };
  const placed = edits.map((edit) => ({ ...edit, data: edit.numbers && copied(edit.numbers) }));
  addEdits(memory, pass, placed, allocate);
  for (const { layer, heads, numbers } of masks)
    memory.c.attn_pass_set_mask(pass, layer, copied(numbers), heads);
}

/**
 * Adds edits to a pass that has begun.
 * @param {Memory} memory
 * @param {Pointer} pass
 * @param {readonly Edit[]} edits
 * @param {(bytes: number) => Pointer} allocate memory that lives as long as the pass
 */
export function addEdits({ c }, pass, edits, allocate) {
  if (!edits.length) return;
  const bytes = Math.ceil(c.attn_edit_bytes() / 16) * 16;
  const first = allocate(bytes * edits.length);
  edits.forEach(({ layer, point, kind, rows, columns, data, stride = 0, gain }, index) => {
    const at = first + index * bytes;
    c.attn_pass_add_edit(pass, at, layer, point, kind);
    if (rows) c.attn_edit_set_rows(at, ...rows);
    if (columns) c.attn_edit_set_columns(at, ...columns);
    if (data) c.attn_edit_set_data(at, data, stride);
    if (gain !== undefined) c.attn_edit_set_gain(at, gain);
  });
}
