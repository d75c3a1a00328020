/** Makes scripts smaller that esbuild has minified, which gives smaller ones than terser alone. */
import { minify } from 'terser';

/**
 * Functions stay as they are, and with them the speed.
 * @param {string} script
 * @param {import('terser').MinifyOptions} [options]
 */
export async function smaller(script, options) {
  const { code = '' } = await minify(script, {
    ecma: 2020,
    compress: { inline: 0 },
    ...options,
  });
  return code;
}
