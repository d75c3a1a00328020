/** Readers of the structs of doubles that a manual of statements declares, in JavaScript. */

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** The fields of each struct of a header without comments: [name, type] in order. */
function structsOf(text) {
  const structs = {};
  for (const [, body, name] of text.matchAll(/^typedef struct \{([^}]*)\} (\w+);/gm))
    structs[name] = [...body.matchAll(/(\w+)\s+([\w\s,]+);/g)].flatMap(([, type, names]) =>
      names.split(',').map((field) => [field.trim(), type]),
    );
  return structs;
}

/** JavaScript for an object of the fields, from the doubles at `at` on; and their number. */
function objectOf(structs, name, at) {
  let next = at;
  const fields = structs[name].map(([field, type]) => {
    if (type === 'double') return `${camelCase(field)}: x[${next++}]`;
    const { text, end } = objectOf(structs, type, next);
    next = end;
    return `${camelCase(field)}: ${text}`;
  });
  return { text: `{ ${fields.join(', ')} }`, end: next };
}

/**
 * The file of the readers.
 * @param {string} header
 * @param {string} text of the header, without comments
 * @param {string} note on who writes the file
 * @param {string} [included] text of another header whose structs may be part of its own
 */
export function reportsFile(header, text, note, included = '') {
  const own = structsOf(text);
  const structs = { ...structsOf(included), ...own };
  const readers = Object.keys(own).map((name) => {
    const object = objectOf(structs, name, 0);
    return `/** ${name} */
export const ${camelCase(name.replace(/^attn_/, ''))} = {
  doubles: ${object.end},
  /** @param {Float64Array} x */
  read: (x) => (${object.text}),
};
`;
  });
  return `/**
 * The structs of ${header}.
 * Each comes with the number of its doubles, and a reader that makes an object of its fields.
 *
 * ${note}
 */

${readers.join('\n')}`;
}
