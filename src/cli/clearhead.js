#!/usr/bin/env node
/** The command line. Each command is a module that exports `usage`, `options` and `run(values, positionals)`. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as check from './check.js';
import * as generate from './generate.js';
import * as info from './info.js';
import * as serve from './serve.js';

/** @type {Record<string, { usage: string, options: any, positionals?: boolean, run: (values: any, positionals: string[]) => Promise<number> }>} */
const commands = { check, generate, info, serve };

const help = `clearhead: attention that can explain itself

${Object.values(commands).map(({ usage }) => usage).join('\n\n')}
`;

/** @param {string[]} args @returns {Promise<number>} the exit status; 2 for a call that is not understood */
async function main([name, ...rest]) {
  if (name === '--version' || name === '-v') {
    console.log(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
    return 0;
  }
  if (!name || name === 'help' || name === '--help' || name === '-h') {
    console.log(Object.hasOwn(commands, rest[0] ?? '') ? commands[rest[0]].usage : help);
    return name ? 0 : 2;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    console.error(`clearhead: there is no command "${name}"\n\n${help}`);
    return 2;
  }
  try {
    const { values, positionals } = /** @type {any} */ (parseArgs({ args: rest, allowPositionals: command.positionals ?? false, options: { ...command.options, help: { type: 'boolean', short: 'h' } } }));
    if (!values.help) return await command.run(values, positionals);
    console.log(command.usage);
    return 0;
  } catch (/** @type {any} */ error) {
    const known = error?.name === 'ClearheadError' || /^(ERR_PARSE_ARGS|E[A-Z]+$)/.test(error?.code ?? '');
    console.error(known ? `clearhead ${name}: ${error.message}` : error);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
