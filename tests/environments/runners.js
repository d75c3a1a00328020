/** Test runners, in the environments they make of Node, jsdom and happy-dom. */
import { check, INLINE, resultIn, SAY } from './app.js';

/** Milliseconds; both runners take 5 s otherwise, which a busy machine can exceed. */
const TIMEOUT = '--testTimeout=120000';
const TEST = `test('it runs', async () => { await ${SAY.trim().replace(/;$/, '')} });`;

/** Without settings jest takes CommonJS alone. */
const jest = (where, packages) => ({
  name: `jest, ${where}`,
  entry: INLINE.attention,
  packages: ['jest', ...packages],
  async run(project) {
    project.write('package.json', '{ "private": true }');
    const code = check(INLINE)
      .replace(/^import (.*) from (.*);$/gm, 'const $1 = require($2);')
      .replace(/^export /gm, '');
    const model = project.read('model.js').replace('export ', '');
    project.write('model.js', `${model}\nmodule.exports = { bytes };`);
    project.write('run.test.js', `${code}\n${TEST}`);
    const test = where === 'happy-dom' ? '@happy-dom/jest-environment' : where;
    return resultIn(await project.bin('jest', [`--env=${test}`, TIMEOUT]));
  },
});

const vitest = (where, packages) => ({
  name: `vitest, ${where}`,
  entry: INLINE.attention,
  packages: ['vitest', 'vite-8', ...packages],
  async run(project) {
    project.write('run.test.js', `import { test } from 'vitest';\n${check(INLINE)}\n${TEST}`);
    const args = ['run', `--environment=${where}`, '--disable-console-intercept', TIMEOUT];
    return resultIn(await project.bin('vitest', args));
  },
});

export const runners = [
  jest('node', []),
  jest('jsdom', ['jest-environment-jsdom']),
  jest('happy-dom', ['@happy-dom/jest-environment']),
  vitest('node', []),
  vitest('jsdom', ['jsdom']),
  vitest('happy-dom', ['happy-dom']),
];
