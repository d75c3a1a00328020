/**
 * Checks the form of all sources: generated files, eslint, prettier, clang-format, the width of
 * lines and the prose. The generated files come first, because they are sources too.
 *
 *   node scripts/lint.js          checks
 *   node scripts/lint.js --fix    formats
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

process.chdir(new URL('..', import.meta.url).pathname);
const fix = process.argv.includes('--fix');
/** Versions of clang-format lay out code differently. */
const CLANG_FORMAT = 14;
const WIDTH = 100;

const run = (command, args) => spawnSync(command, args, { encoding: 'utf8' });
const listed = run('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate']);
const deleted = run('git', ['ls-files', '-d']).stdout.split('\n');
const files = listed.stdout.split('\n').filter((file) => file && !deleted.includes(file));
const named = (pattern) => files.filter((file) => pattern.test(file));

/** Runs a tool, shows what it says, and tells whether it was content. */
function tool(name, command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) console.error(`${name}: ${error.message}`);
  else if (status) console.error(`${name}: not as it should be; npm run format mends what it can`);
  return status === 0;
}

function clangFormat() {
  const version = run('clang-format', ['--version']).stdout?.match(/\d+/)?.[0];
  if (Number(version) !== CLANG_FORMAT) {
    console.log(`SKIPPED clang-format: the sources follow ${CLANG_FORMAT}, this is ${version}`);
    return true;
  }
  const how = fix ? ['-i'] : ['--dry-run', '-Werror'];
  return tool('clang-format', 'clang-format', [...how, ...named(/\.[ch]$/)]);
}

/** No line of code is wider than the page; eslint looks at the JavaScript. */
function narrow() {
  let content = true;
  for (const file of named(/\.([ch]|ts|css|sh|html|cmake)$|CMakeLists\.txt$/))
    readFileSync(file, 'utf8')
      .split('\n')
      .forEach((line, index) => {
        if (line.length <= WIDTH) return;
        console.error(`${file}:${index + 1}: ${line.length} columns, expected at most ${WIDTH}`);
        content = false;
      });
  return content;
}

const sources = named(/\.(js|mjs|ts|css|json)$/).filter((file) => !file.endsWith('lock.json'));
const checks = [
  () => tool('generate', process.execPath, ['scripts/generate.js', ...(fix ? [] : ['--check'])]),
  // asks a module that was built; a test holds the file against it
  () => !fix || tool('weight types', process.execPath, ['scripts/generate-weight-types.js']),
  () => tool('eslint', 'node_modules/.bin/eslint', fix ? ['--fix', '.'] : ['.']),
  () =>
    tool('prettier', 'node_modules/.bin/prettier', [
      fix ? '--write' : '--check',
      '--log-level',
      'warn',
      ...sources,
    ]),
  clangFormat,
  narrow,
  () => tool('declarations', process.execPath, ['scripts/declarations.js', ...named(/\.[ch]$/)]),
  () => fix || tool('prose', process.execPath, ['scripts/prose.js']),
];
process.exitCode = checks.map((check) => check()).every(Boolean) ? 0 : 1;
