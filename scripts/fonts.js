/**
 * Writes web/fonts: subsets of Source Serif 4 and Inter with the letters and weights that the page
 * uses. The packages come from npm into build/fonts; the page ships only the subsets.
 *
 *   node scripts/fonts.js
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';

process.chdir(new URL('..', import.meta.url).pathname);
const HOME = 'build/fonts';
const PACKAGES = [
  '@fontsource-variable/inter@5.3.0',
  '@fontsource-variable/source-serif-4@5.3.1',
  'subset-font@2.9.0',
];

const between = (first, last) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, at) => first + at));
const ASCII = between(0x20, 0x7e);
const MARKS = '\u00a0\u2009\u202f·×÷±°²³½¼‘’“”–—…•€←↑→↓−√∞≈≠≤≥⁄';
const GREEK = between(0x391, 0x3a1) + between(0x3a3, 0x3a9) + between(0x3b1, 0x3c9);
const NAMES = 'àáâäçèéêëìíîïñòóôöùúûüßÀÁÄÇÉÈÑÓÖÚÜ';
const LATIN = ASCII + MARKS + NAMES;
const WEIGHTS = { wght: { min: 400, max: 600 } };

/** The file of the page, the one of the package, its letters and its axes. */
const FONTS = [
  ['source-serif-4', 'source-serif-4-latin-wght-normal', LATIN, WEIGHTS],
  ['source-serif-4-italic', 'source-serif-4-latin-wght-italic', ASCII + MARKS, { wght: 400 }],
  ['source-serif-4-greek', 'source-serif-4-greek-wght-normal', GREEK, { wght: 400 }],
  ['inter', 'inter-latin-wght-normal', LATIN, WEIGHTS],
  ['inter-greek', 'inter-greek-wght-normal', GREEK, { wght: 400 }],
];

mkdirSync(HOME, { recursive: true });
if (!existsSync(`${HOME}/package.json`)) writeFileSync(`${HOME}/package.json`, '{}');
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', HOME, ...PACKAGES], {
  stdio: 'inherit',
});
const subset = createRequire(`${process.cwd()}/${HOME}/package.json`)('subset-font');
const folderOf = (name) => {
  const family = name.startsWith('inter') ? 'inter' : 'source-serif-4';
  return `${HOME}/node_modules/@fontsource-variable/${family}`;
};

for (const [name, from, letters, variationAxes] of FONTS) {
  const font = readFileSync(`${folderOf(name)}/files/${from}.woff2`);
  const bytes = await subset(font, letters, { targetFormat: 'woff2', variationAxes });
  writeFileSync(`web/fonts/${name}.woff2`, bytes);
  console.log(`${name}.woff2: ${bytes.length} bytes of ${font.length}`);
}
copyFileSync(`${folderOf('inter')}/LICENSE`, 'web/fonts/LICENSE-Inter.txt');
copyFileSync(`${folderOf('source')}/LICENSE`, 'web/fonts/LICENSE-SourceSerif4.txt');
