/**
 * Writes what JavaScript has from the headers in src, so that nothing is typed twice:
 * src/js/engine/exports.d.ts with the types of the functions that the wasm files export, and
 * src/js/engine/constants.js with the enums of the public headers. reports.js has the structs of
 * theory.h and sensitivity.h, and consequence-reports.js has those of consequences.h. tables.js
 * writes the tables of the statements.
 *
 *   node scripts/generate.js          writes them
 *   node scripts/generate.js --check  fails when one of them is not current
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { reportsFile } from './reports.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOTE = 'Written by scripts/generate.js from the headers in src; npm run format renews it.';

/** Headers that export functions or stand in the public folder, by path, without comments. */
function readHeaders() {
  return readdirSync(`${root}src`, { recursive: true })
    .filter((path) => path.endsWith('.h'))
    .sort()
    .map((path) => {
      const text = readFileSync(`${root}src/${path}`, 'utf8');
      return { path, text: text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/.*/g, '') };
    });
}

/** The exported functions of a header: its name, its result and its parameters, all as in C. */
export function functionsOf(text) {
  const declaration = /^ATTN_API\s+([\w\s*]+?)(\w+)\(([^)]*)\);/gm;
  return [...text.matchAll(declaration)].map(([, result, name, parameters]) => ({
    name,
    result: result.trim(),
    parameters:
      parameters.trim() === 'void'
        ? []
        : parameters.split(',').map((parameter) => parameter.trim()),
  }));
}

/** The values of the enums of a header, by name. */
export function constantsOf(text) {
  const constants = {};
  for (const [, body] of text.matchAll(/^enum(?:\s+\w+)?\s*\{([^}]*)\}/gm)) {
    let next = 0;
    for (const item of body.split(',').filter((part) => part.trim())) {
      const [name, value] = item.split('=').map((part) => part.trim());
      constants[name] = value === undefined ? next : Number(value);
      if (!Number.isInteger(constants[name])) throw new Error(`${name} is not a plain integer`);
      next = constants[name] + 1;
    }
  }
  return constants;
}

const TYPES = {
  void: 'void',
  size_t: 'Size',
  int32_t: 'Value',
  uint32_t: 'Value',
  float: 'Value',
  double: 'Value',
};

/** The TypeScript type of a C type. */
function typeOf(c) {
  if (c.includes('*')) return 'Pointer';
  const type = TYPES[c];
  if (!type) throw new Error(`scripts/generate.js knows no type for "${c}"`);
  return type;
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const pascalCase = (name) => camelCase(`_${name}`);

function signature({ name, result, parameters }) {
  const typed = parameters.map((parameter) => {
    const [, type, word] = parameter.match(/^(.*?)(\w+)(?:\[\w*\])?$/s);
    const pointer = parameter.endsWith(']') ? '*' : '';
    return `${camelCase(word)}: ${typeOf(`${type.trim()}${pointer}`)}`;
  });
  return `${name}(${typed.join(', ')}): ${typeOf(result)};`;
}

function exportsFile(headers) {
  const interfaces = headers
    .map(({ path, text }) => ({ path, functions: functionsOf(text) }))
    .filter(({ functions }) => functions.length)
    .map(({ path, functions }) => ({
      name: `${pascalCase(basename(path, '.h').replace(/^attn$/, 'attention'))}Exports`,
      text: `/** src/${path} */`,
      functions,
    }));
  return `/**
 * The C functions of the wasm files.
 *
 * ${NOTE}
 */

/** An address in wasm memory; 0 is NULL. Plain numbers are accepted, and Values are not. */
export type Pointer = number & { readonly stands?: 'for an address' };

/** A size, an index or a number. Plain numbers are accepted, and Pointers are not. */
export type Value = number & { readonly stands?: 'for itself' };

/** A size_t arrives signed: sizes of 2 GiB or more need \`>>> 0\`. */
export type Size = Value;

${interfaces
  .map(
    ({ name, text, functions }) =>
      `${text}\nexport interface ${name} {\n${functions.map(signature).join('\n')}\n}\n`,
  )
  .join('\n')}
/** All of them. A wasm file has those of its own headers. */
export interface Functions extends ${interfaces.map(({ name }) => name).join(', ')} {}
`;
}

function constantsFile(headers) {
  const lines = headers
    .filter(({ path }) => path.startsWith('include/'))
    .map(({ path, text }) => ({ path, constants: Object.entries(constantsOf(text)) }))
    .filter(({ constants }) => constants.length)
    .map(
      ({ path, constants }) =>
        `// src/${path}\n${constants
          .map(([name, value]) => `export const ${name} = ${value};`)
          .join('\n')}\n`,
    );
  return `/**\n * The enums of the public headers.\n *\n * ${NOTE}\n */\n\n${lines.join('\n')}`;
}

/** The files that come from the headers, by path. */
async function fromHeaders() {
  const headers = readHeaders();
  const manual = (name) => headers.find(({ path }) => path === `include/${name}`).text;
  const theory = manual('theory.h') + manual('sensitivity.h');
  const options = await prettier.resolveConfig(`${root}src/js/index.js`);
  const files = {
    'src/js/engine/exports.d.ts': exportsFile(headers),
    'src/js/engine/constants.js': constantsFile(headers),
    'src/js/theory/reports.js': reportsFile('theory.h and sensitivity.h', theory, NOTE),
    'src/js/theory/consequence-reports.js': reportsFile(
      'consequences.h',
      manual('consequences.h'),
      NOTE,
      theory,
    ),
  };
  for (const [path, text] of Object.entries(files))
    files[path] = await prettier.format(text, { ...options, filepath: `${root}${path}` });
  return files;
}

/** The tables come from the list of the statements, which imports files that the headers give. */
async function fromStatements() {
  const { tables } = await import('./tables.js');
  return tables(root);
}

/** The files as they should be, by path. */
export const generate = async () => ({ ...(await fromHeaders()), ...(await fromStatements()) });

/** Writes the files, or with --check tells of those that are not current. */
function settle(files) {
  for (const [path, text] of Object.entries(files)) {
    if (!process.argv.includes('--check')) writeFileSync(`${root}${path}`, text);
    else if (!existsSync(`${root}${path}`) || readFileSync(`${root}${path}`, 'utf8') !== text) {
      console.error(`${path} is not current; npm run format renews it`);
      process.exitCode = 1;
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  settle(await fromHeaders());
  if (!process.exitCode) settle(await fromStatements());
}
