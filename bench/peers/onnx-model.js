/**
 * The smallest ONNX file: one operator between inputs and outputs, in protobuf's wire format, so
 * that the bench needs neither Python nor a protobuf library. Field numbers are those of
 * onnx.proto3.
 */

const VARINT = 0;
const BYTES = 2;
const FIXED32 = 5;
const FLOAT = 1;
const INT32 = 6;
const BOOL = 9;
const ELEMENTS = { float32: FLOAT, int32: INT32, bool: BOOL };

/** @param {number} x not negative */
function varint(x) {
  const bytes = [];
  for (; x > 127; x = Math.floor(x / 128)) bytes.push((x % 128) | 128);
  return Uint8Array.from([...bytes, x]);
}

/** @param {Uint8Array[]} parts */
function join(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const integer = (field, x) => join([varint((field << 3) | VARINT), varint(x)]);
const bytes = (field, x) => join([varint((field << 3) | BYTES), varint(x.length), x]);
const string = (field, x) => bytes(field, new TextEncoder().encode(x));
const message = (field, ...parts) => bytes(field, join(parts));
const float = (field, x) =>
  join([varint((field << 3) | FIXED32), new Uint8Array(Float32Array.of(x).buffer)]);

const value = (field, { name, type = 'float32', shape }) => {
  const sizes = shape ? [message(2, ...shape.map((size) => message(1, integer(1, size))))] : [];
  return message(
    field,
    string(1, name),
    message(2, message(1, integer(1, ELEMENTS[type]), ...sizes)),
  );
};

const attribute = ([name, x]) =>
  Number.isInteger(x)
    ? message(5, string(1, name), integer(3, x), integer(20, 2))
    : message(5, string(1, name), float(2, x), integer(20, 1));

const constant = ({ name, shape, data }) =>
  message(
    5,
    ...shape.map((size) => integer(1, size)),
    integer(2, FLOAT),
    string(8, name),
    bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

/**
 * @param {object} node
 * @param {string} node.operator e.g. 'Attention'
 * @param {string} [node.domain] '' is ONNX itself
 * @param {Record<string, number>} [node.attributes] whole numbers become INT, others FLOAT
 * @param {({ name: string, shape: number[], type?: string, data?: Float32Array } | null)[]}
 *   node.inputs in the operator's
 *   order; null leaves one out, data makes it a constant of the model
 * @param {{ name: string, shape: number[], type?: string }[]} node.outputs an output without shape
 *   leaves it to the operator
 * @returns {Uint8Array}
 */
export function onnxModel({ operator, domain = '', attributes = {}, inputs, outputs }) {
  const given = inputs.filter((input) => input && !input.data);
  const constants = inputs.filter((input) => input?.data);
  return join([
    integer(1, 10), // IR version
    message(8, string(1, ''), integer(2, 23)), // opset 23 brought the Attention operator
    ...(domain ? [message(8, string(1, domain), integer(2, 1))] : []),
    message(
      7,
      message(
        1,
        ...inputs.map((input) => string(1, input?.name ?? '')),
        ...outputs.map(({ name }) => string(2, name)),
        string(4, operator),
        ...Object.entries(attributes).map(attribute),
        string(7, domain),
      ),
      string(2, operator),
      ...constants.map(constant),
      ...given.map((input) => value(11, input)),
      ...outputs.map((output) => value(12, output)),
    ),
  ]);
}
