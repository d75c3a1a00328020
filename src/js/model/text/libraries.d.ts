/**
 * The used part of @huggingface/jinja. Its own types do not resolve under Node's rules (imports
 * without extensions), so tsconfig.json points here.
 */
/** Tokens have a type and a value; a node of the tree has a type. */
export function tokenize(text: string, options: object): { type: string; value: string }[];
export function parse(tokens: object[]): object;
