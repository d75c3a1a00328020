import { ClearheadError } from '../../../errors.js';
import { GLOBALS } from './globals.js';
import { Interpreter } from './interpreter.js';
import { Budget } from './limits.js';
import { Scope } from './scope.js';
import { treeOf } from './source.js';
import { valueOf } from './values.js';

/**
 * A template as a function from its variables to text.
 * @param {string} template
 * @returns {(variables: Record<string, unknown>) => string}
 */
export function prepare(template) {
  const program = guarded(() => treeOf(template));
  return (variables) =>
    guarded(() => {
      const context = new Scope();
      for (const [name, value] of Object.entries(GLOBALS)) context.set(name, value);
      for (const [name, value] of Object.entries(variables))
        if (value !== undefined)
          context.set(name, valueOf(value, name === 'messages' ? name : `variables.${name}`));
      return new Interpreter(new Budget()).evaluate(program, context);
    });
}

/** @template T @param {() => T} run @returns {T} */
function guarded(run) {
  try {
    return run();
  } catch (cause) {
    throw templateError(cause);
  }
}

/** The error of a template that failed. @param {unknown} cause @returns {ClearheadError} */
function templateError(cause) {
  if (cause instanceof ClearheadError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError)
    return new ClearheadError(
      'LIMIT',
      `the chat template went too deep or grew too long: ${message}`,
      { cause },
    );
  return new ClearheadError('FORMAT', `the chat template failed: ${message.slice(0, 200)}`, {
    cause,
  });
}
