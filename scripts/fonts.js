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
const LATIN = `${ASCII}\u00a0\u2009\u202f·×±²³½‘’“”–—…•←↑→↓−√∞≈≠≤≥`;
const GREEK = 'ΔΣαβδεθλξπρσχ';
const WEIGHTS = { wght: { min: 400, max: 600 } };
/** Figures of one width, in columns of numbers. */
const FIGURES = ['tnum'];
const KERNED = ['tnum', 'kern'];

/** The file of the page, the one of the package, its letters, its axes and its features. */
const FONTS = [
  ['source-serif-4', 'source-serif-4-latin-wght-normal', LATIN, WEIGHTS, KERNED],
  ['source-serif-4-greek', 'source-serif-4-greek-wght-normal', GREEK, { wght: 400 }, FIGURES],
  ['inter', 'inter-latin-wght-normal', LATIN, WEIGHTS, KERNED],
  ['inter-greek', 'inter-greek-wght-normal', GREEK, { wght: 400 }, FIGURES],
];
/** Names for programs that list fonts, and how metrics and kerning vary with the weight. */
const DROPPED = ['STAT', 'MVAR', 'HVAR', 'GDEF', 'avar'];

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

for (const [name, from, letters, variationAxes, keepFeatures] of FONTS) {
  const font = readFileSync(`${folderOf(name)}/files/${from}.woff2`);
  const bytes = await subset(font, letters, {
    targetFormat: 'woff2',
    variationAxes,
    keepFeatures,
    dropTables: DROPPED,
  });
  writeFileSync(`web/fonts/${name}.woff2`, bytes);
  console.log(`${name}.woff2: ${bytes.length} bytes of ${font.length}`);
}
copyFileSync(`${folderOf('inter')}/LICENSE`, 'web/fonts/LICENSE-Inter.txt');
copyFileSync(`${folderOf('source')}/LICENSE`, 'web/fonts/LICENSE-SourceSerif4.txt');
