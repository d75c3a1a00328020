/**
 * The used part of @huggingface/tokenizers and @huggingface/jinja. Their own types do not resolve
 * under Node's rules (imports without extensions), so tsconfig.json points here.
 */
export class Tokenizer {
  constructor(tokenizer: object, config: object);
  encode(text: string, options?: { add_special_tokens?: boolean }): { ids: number[] };
  model: { vocab: string[]; bpe(word: string): string[] };
  normalizer: ((text: string) => string) | null;
  /** Cuts a text at added tokens. */
  splitter_unnormalized: { split(text: string): string[] };
  added_tokens_map: Map<string, unknown>;
}

/** Tokens have a type and a value; a node of the tree has a type. */
export function tokenize(text: string, options: object): { type: string; value: string }[];
export function parse(tokens: object[]): object;
