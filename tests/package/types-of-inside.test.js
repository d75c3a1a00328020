/** The types of looking inside: documents compile, options narrow results, errors can be read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'clearhead-types-'));
after(() => rmSync(folder, { recursive: true }));

/** The texts to compile, by the name of the file. @type {Map<string, string>} */
const files = new Map();
/** Notes a module, which is compiled with all others. */
function module(text) {
  const name = `module${files.size}.ts`;
  files.set(name, `${text}\nexport {};\n`);
  return name;
}

let output;
/** The errors of the compiler in a module, as it prints them. */
function errorsOf(name) {
  output ??= compile();
  // an error goes on in lines that begin with a space
  const errors = output.split(/\n(?=\S)/).filter((error) => error.startsWith(`${name}(`));
  return errors.join('\n');
}

/** One run for all modules: most of its time is spent on the types of the platform. */
function compile() {
  const of = (path) => [join(root, path)];
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'] },
    ...{ module: 'nodenext', types: ['node'], typeRoots: of('node_modules/@types') },
    ...{ allowImportingTsExtensions: true, skipLibCheck: true },
    paths: {
      'clearhead/model': of('src/js/model/api.d.ts'),
      'clearhead/worker': of('src/js/worker/client.d.ts'),
      '@huggingface/*': of('src/js/model/text/libraries.d.ts'),
    },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [...files.keys()] }),
  );
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.ok(/: error TS/.test(stdout), `the wrong modules were refused: ${stdout}${stderr}`);
  return stdout;
}

const USE = `import type { Intervention, Model, TraceOptions } from 'clearhead/model';
import type { RemoteModel } from 'clearhead/worker';
declare const model: Model;
declare const remote: RemoteModel;
declare const some: TraceOptions;
declare const list: Intervention[];
`;

const text = readFileSync(`${root}docs/look-inside.md`, 'utf8');
const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
const INSIDE = module(blocks.join(''));

test('docs/look-inside.md compiles as TypeScript', () => {
  assert.ok(blocks.length > 5);
  assert.equal(errorsOf(INSIDE), '');
});

const NARROWED = module(`${USE}
    for (const each of [model, remote]) {
      const { pattern, z } = await each.trace('a', { record: ['pattern', 'z'] });
      pattern.fill(z[0]);
      const perhaps: Float32Array | undefined = (await each.trace('a', some)).resid_pre;
      await each.trace('a', { record: ['z'], onPart: ({ z, keys }) => void z.fill(keys) });
      const { sources, withoutSource } = await each.ledger(0, 1, { sources: true });
      sources.fill(withoutSource[0]);
      const { scores, definitions, heads } = await each.heads.scores();
      scores.copying.fill(definitions.induction.threshold + heads[0].scores.first);
      const { definitions: one } = await each.heads.scores({ scores: ['source'], sources: [] });
      one.source.label.trim();
      const how = { ledger: true, trace: { record: ['resid_post'] }, observe: 'stats' } as const;
      for await (const { ledger, trace, heads } of each.generate('a', how))
        trace.resid_post.fill(ledger.heads[0] + heads.entropy[0] + (perhaps?.[0] ?? 0));
      for await (const { ledger } of each.chat([], { ledger: true })) ledger.biases.fill(0);
      const { trace } = await each.step(1, { trace: { record: ['z'], layers: [0] } });
      trace.z.fill(0);
      await each.intervene(list);
      await each.intervene([{ layer: 1, patch: 'z', from: await each.trace('a', some) }]);
    }
`);

test('options say which results are there', () => {
  assert.equal(errorsOf(NARROWED), '');
});

for (const [what, code, message] of [
  [
    'an array that was not recorded',
    "(await model.trace('a', { record: ['z'] })).pattern",
    /'pattern' does not exist/,
  ],
  ['sources without the option', 'model.ledger(0, 1).then((l) => l.sources.length)', /undefined/],
  [
    'arrays beside onPart',
    "(await model.trace('a', { record: ['z'], onPart() {} })).z",
    /'z' does not exist/,
  ],
  [
    'a ledger without the option',
    "for await (const { ledger } of model.generate('a')) ledger.heads",
    /undefined/,
  ],
  ['a name of no array', "model.trace('a', { record: ['zz'] })", /"zz"|'zz'/],
  [
    'an entry without a kind',
    'model.intervene([{ layer: 1, head: 0 }])',
    /'one of gain, knockOut, pattern, temperature, add, patch'/,
  ],
  [
    'a value that its kind does not have',
    "model.intervene([{ layer: 1, head: 0, pattern: 'unform' }])",
    /Did you mean '"uniform"'/,
  ],
]) {
  const name = module(`${USE}${code};`);
  test(`${what} is an error in words`, () => {
    assert.match(errorsOf(name), message);
  });
}
