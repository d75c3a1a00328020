/**
 * The smallest .tflite file: a chain of operators between float32 tensors, as a FlatBuffer. Field,
 * operator and option numbers are those of TensorFlow Lite's schema.fbs.
 */
import { Builder } from 'flatbuffers';

/**
 * Code of the operator, number of its options in the union BuiltinOptions, and their fields as
 * [slot, kind, value].
 */
export const OPERATORS = {
  add: { code: 0, options: 11, fields: [] },
  mul: { code: 18, options: 21, fields: [] },
  softmax: { code: 25, options: 9, fields: [[0, 'Float32', 1]] },
  product: { code: 126, options: 101, fields: [] },
  /** a·bᵀ */
  productTransposed: { code: 126, options: 101, fields: [[1, 'Int8', 1]] },
};

/**
 * @param {object} model
 * @param {{ name: string, shape: number[], data?: Float32Array }[]} model.tensors
 * @param {{ operator: keyof typeof OPERATORS, inputs: number[], output: number }[]} model.steps
 *   indices of tensors
 * @param {number[]} model.inputs
 * @param {number[]} model.outputs
 * @returns {Uint8Array}
 */
export function tfliteModel({ tensors, steps, inputs, outputs }) {
  const b = new Builder(1024);

  /** A vector of offsets to tables, or of 32-bit numbers. */
  const vector = (items, how) => {
    b.startVector(4, items.length, 4);
    for (const item of [...items].reverse())
      how === 'offset' ? b.addOffset(item) : b.addInt32(item);
    return b.endVector();
  };
  /**
   * @param {[number, string, number][]} fields slot, kind, value; their parts are written before
   */
  const table = (slots, fields) => {
    b.startObject(slots);
    for (const [slot, kind, value] of fields)
      b[`addField${kind}`](slot, value, kind === 'Offset' ? 0 : -1);
    return b.endObject();
  };
  /** 16-aligned, as the schema wants it. */
  const bytes = (array) => {
    b.startVector(1, array.length, 16);
    for (let i = array.length - 1; i >= 0; i--) b.writeInt8(array[i]);
    return b.endVector();
  };

  const buffers = [table(1, [])];
  const tables = []; // the first buffer is empty by convention
  for (const { name, shape, data } of tensors) {
    const buffer = data
      ? buffers.push(
          table(1, [
            [0, 'Offset', bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))],
          ]),
        ) - 1
      : 0;
    const parts = [vector(shape), b.createString(name)];
    tables.push(
      table(4, [
        [0, 'Offset', parts[0]],
        [1, 'Int8', 0],
        [2, 'Int32', buffer],
        [3, 'Offset', parts[1]],
      ]),
    );
  }
  const codes = [...new Set(steps.map(({ operator }) => OPERATORS[operator].code))];
  const codeTables = codes.map((code) =>
    table(4, [
      [0, 'Int8', Math.min(code, 127)],
      [2, 'Int32', 1],
      [3, 'Int32', code],
    ]),
  );
  const operators = steps.map(({ operator, inputs: from, output }) => {
    const { code, options, fields } = OPERATORS[operator];
    const parts = [vector(from), vector([output]), table(3, fields)];
    return table(5, [
      [0, 'Int32', codes.indexOf(code)],
      [1, 'Offset', parts[0]],
      [2, 'Offset', parts[1]],
      [3, 'Int8', options],
      [4, 'Offset', parts[2]],
    ]);
  });
  const graphParts = [
    vector(tables, 'offset'),
    vector(inputs),
    vector(outputs),
    vector(operators, 'offset'),
  ];
  const graph = table(
    4,
    graphParts.map((part, slot) => [slot, 'Offset', part]),
  );
  const parts = [
    vector(codeTables, 'offset'),
    vector([graph], 'offset'),
    vector(buffers, 'offset'),
  ];
  b.finish(
    table(5, [
      [0, 'Int32', 3],
      [1, 'Offset', parts[0]],
      [2, 'Offset', parts[1]],
      [4, 'Offset', parts[2]],
    ]),
    'TFL3',
  );
  return b.asUint8Array();
}
