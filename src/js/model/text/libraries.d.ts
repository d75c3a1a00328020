/**
 * The used part of @huggingface/jinja. Its own types do not resolve under Node's rules (imports
 * without extensions), so tsconfig.json points here.
 */
export class Environment {
  set(name: string, value: unknown): unknown;
}

/** A value has `value`, and the class of a function takes what it calls; a node has `type`. */
export class Interpreter {
  constructor(environment: Environment);
  run(program: object): { value: unknown };
  evaluate(node: any, environment: Environment): any;
}

export function tokenize(
  text: string,
  options: { lstrip_blocks: boolean; trim_blocks: boolean },
): object[];
export function parse(tokens: object[]): object;
