/** The browsers in which tests look at the page. */
import { existsSync } from 'node:fs';
import process from 'node:process';

/**
 * A browser as Debian has it, and why it is not there, or false. Playwright drives Firefox by
 * WebDriver BiDi, where no build of its own is needed. But Playwright 1.65 uses
 * emulation.setMediaFeaturesOverride, which Debian's Firefox 153 does not know yet.
 */
function installed(name, path, start) {
  const missing = existsSync(path) ? false : `there is no ${name} at ${path}`;
  return { name, missing, launch: async () => start(await import('playwright-core'), path) };
}
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run ' +
  '--disable-background-networking --disable-component-update --disable-sync';
const chromium = installed(
  'Chromium',
  process.env.CHROMIUM ?? '/usr/bin/chromium',
  ({ chromium }, executablePath) => chromium.launch({ executablePath, args: FLAGS.split(' ') }),
);
// motion is reduced by a preference, which over WebDriver BiDi no page can be given
const firefox = installed(
  'Firefox',
  process.env.FIREFOX ?? '/usr/bin/firefox-esr',
  ({ firefox }, executablePath) =>
    firefox.launch({
      channel: 'moz-firefox',
      executablePath,
      firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 },
    }),
);
export const browsers = [chromium, firefox];
/** Most tests of the page need one. */
export const { launch, missing } = chromium;

/**
 * The result of the page's kernels for these inputs. Arrays travel as plain lists: float32 and
 * float64 are exact in them.
 */
export const ask = (page, call, arrays, options) =>
  page.evaluate(
    async ([call, arrays, Type, options]) => {
      const { init } = await import('../src/js/index.js');
      const engine = await init({ variant: 'simd' });
      const Floats = globalThis[Type];
      const target = call === 'attention' ? engine : await engine.theory;
      const result = target[call](...arrays.map((list) => Floats.from(list)), options);
      return Object.fromEntries(
        Object.entries(result).map(([name, value]) => [
          name,
          ArrayBuffer.isView(value) ? Array.from(value) : value,
        ]),
      );
    },
    [call, arrays.map((list) => Array.from(list)), arrays[0].constructor.name, options],
  );
