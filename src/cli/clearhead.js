#!/usr/bin/env node
/**
 * The command line. Each command is a module that exports `usage`, `options` and `run(values,
 * positionals)`.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { inspect, parseArgs } from 'node:util';
import { ClearheadError } from '../js/index.js';
import { didYouMean } from '../js/names.js';
import * as check from './check.js';
import * as generate from './generate.js';
import * as info from './info.js';
import * as inspection from './inspect.js';
import { harmless } from './model-file.js';
import * as serve from './serve.js';

/**
 * @type {Record<string, { usage: string, options: any, positionals?: boolean,
 *   meant?: Record<string, string>,
 *   run: (values: any, positionals: string[]) => Promise<number> }>}
 */
const commands = { check, generate, info, inspect: inspection, serve };

const help = `clearhead: attention that can explain itself

${Object.values(commands)
  .map(({ usage }) => usage)
  .join('\n\n')}
`;

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit status; 2 for a call that is not understood
 */
async function main([name, ...rest]) {
  if (name === '--version' || name === '-v') {
    console.log(
      JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
    );
    return 0;
  }
  if (!name || name === 'help' || name === '--help' || name === '-h') {
    const [topic] = rest;
    if (name === 'help' && topic && !Object.hasOwn(commands, topic)) return unknown(topic);
    console.log(topic && Object.hasOwn(commands, topic) ? commands[topic].usage : help);
    return name ? 0 : 2;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return unknown(name);
  try {
    const { values, positionals } = understood(
      rest,
      { ...command.options, help: { type: 'boolean', short: 'h' } },
      command.positionals ?? false,
      command.meant ?? {},
    );
    if (!values.help) return await command.run(values, positionals);
    console.log(command.usage);
    return 0;
  } catch (/** @type {any} */ error) {
    const known = error?.name === 'ClearheadError' || /^E[A-Z]+$/.test(error?.code ?? '');
    console.error(harmless(known ? `clearhead ${name}: ${error.message}` : inspect(error)));
    return 2;
  }
}

/** Says that there is no such command. @param {string} name @returns {number} the exit status */
function unknown(name) {
  const names = Object.keys(commands);
  console.error(
    `clearhead: there is no command ${harmless(JSON.stringify(name))}; ` +
      `expected one of ${names.join(', ')} (clearhead help says what they do)` +
      didYouMean(name, names),
  );
  return 2;
}

/**
 * Reads the arguments. An error names the one that is not understood.
 * @param {string[]} args
 * @param {Record<string, any>} options
 * @param {boolean} wantsWords
 * @param {Record<string, string>} meant options by other words for them
 * @returns {{ values: any, positionals: string[] }}
 */
function understood(args, options, wantsWords, meant) {
  const { values, positionals, tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const known = Object.keys(options).map((each) => `--${each}`);

  for (const token of tokens ?? []) {
    if (token.kind === 'positional' && !wantsWords)
      refuse(`"${token.value}" is not understood; expected options alone`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name].type : undefined;
    if (!type) {
      const word = args[token.index];
      const question = Object.hasOwn(meant, name)
        ? `; did you mean ${meant[name]}?`
        : didYouMean(word.split('=')[0], known);
      const aside = `${question || '.'} A word that begins with a dash goes behind --`;
      refuse(
        `${JSON.stringify(word.slice(0, 40))} is not an option; ` +
          `expected one of ${known.join(', ')}${wantsWords ? aside : question}`,
      );
    }
    if (type === 'boolean' && value !== undefined)
      refuse(`${rawName} is given "${value}"; expected it without a value`);
    if (type !== 'string') continue;
    if (value === undefined) refuse(`${rawName} is without a value; expected one after it`);
    if (!inlineValue && /^--?[a-z]/i.test(value ?? ''))
      refuse(
        `${rawName} is followed by ${value}; ` +
          `expected a value (${rawName}=${value} if that is meant)`,
      );
  }
  return { values, positionals };
}

/** @param {string} message @returns {never} */
function refuse(message) {
  throw new ClearheadError('ARG', message);
}

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (/** @type {any} */ error) => {
    // the reader may have closed the pipe (| head): nobody reads the rest
    if (error.code === 'EPIPE') process.exit();
    if (stream === process.stdout) console.error(`clearhead: ${error.message}`);
    process.exit(2);
  });

process.exitCode = await main(process.argv.slice(2));
