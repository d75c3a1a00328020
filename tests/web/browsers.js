/** The browsers in which tests look at the page. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';

/** An import() would search its millions of characters for the names that it exports. */
const require = createRequire(import.meta.url);

/**
 * A browser as Debian has it, and why it is not there, or false. Playwright drives Firefox by
 * WebDriver BiDi, where no build of its own is needed. But Playwright 1.65 uses
 * emulation.setMediaFeaturesOverride, which Debian's Firefox 153 does not know yet.
 *
 * `launch` starts one, or connects to the one that `npm test` shares among its files. Closing it
 * then closes the pages of this file only. If the shared one has ended, the file starts another. In
 * a Firefox one window has the focus, so a file that types starts one. In Chromium all have it.
 */
function installed(name, { type, ...options }) {
  const { executablePath } = options;
  const missing = existsSync(executablePath) ? false : `there is no ${name} at ${executablePath}`;
  const variable = `CLEARHEAD_${type.toUpperCase()}_AT`;
  const driver = () => require('playwright-core')[type];
  return {
    name,
    missing,
    launch: async ({ types = false } = {}) => {
      const browserType = driver();
      const start = () => browserType.launch(options);
      const own = types && type === 'firefox';
      const at = own ? undefined : process.env[variable];
      return at ? browserType.connect(at).catch(start) : start();
    },
    async share() {
      const server = await driver().launchServer(options);
      return { variable, at: server.wsEndpoint(), close: () => server.close() };
    },
  };
}
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run ' +
  '--disable-background-networking --disable-component-update --disable-sync';
/**
 * With the first two features Chromium loads a page of its address bar for each window, which takes
 * a processor more than a second. The others are of Playwright's list, which this one replaces.
 */
const WITHOUT =
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,DestroyProfileOnBrowserClose,' +
  'DialMediaRouteProvider,GlobalMediaControls,HttpsUpgrades,LensOverlay,MediaRouter,' +
  'NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,ThirdPartyStoragePartitioning,' +
  'Translate';
const chromium = installed('Chromium', {
  type: 'chromium',
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [...FLAGS.split(' '), `--disable-features=${WITHOUT}`],
});
// motion is reduced by a preference, which over WebDriver BiDi no page can be given
const firefox = installed('Firefox', {
  type: 'firefox',
  channel: 'moz-firefox',
  executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
  firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 },
});
export const browsers = [chromium, firefox];
/** Most tests of the page need one. */
export const { launch, missing } = chromium;

/**
 * Starts the browsers that are there, and tells the environment in which tests find them. Where one
 * does not start, each file tries for itself and says why.
 */
export async function shareBrowsers() {
  const starting = browsers.filter(({ missing }) => !missing).map(({ share }) => share());
  const shared = (await Promise.allSettled(starting)).flatMap(({ value }) => value ?? []);
  return {
    env: Object.fromEntries(shared.map(({ variable, at }) => [variable, at])),
    close: () => Promise.all(shared.map((each) => each.close())),
  };
}

/**
 * The result of the page's kernels for these inputs. Arrays travel as plain lists: float32 and
 * float64 are exact in them.
 */
export const ask = (page, call, arrays, options) =>
  page.evaluate(
    async ([call, arrays, Type, options]) => {
      const { init } = await import('./bundled/library.js');
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
