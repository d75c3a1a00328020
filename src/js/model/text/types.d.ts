/** Tokenizers and chat templates. */
import type { ClearheadError } from '../../types.d.ts';

export interface EncodeOptions {
  /**
   * Whether the text of control tokens in `text` becomes those tokens. Default false: the words of
   * a user stay text.
   */
  special?: boolean | undefined;
  /**
   * Whether this continues a text, so that the vocabulary puts no space before the first word.
   * Default false.
   */
  continued?: boolean | undefined;
  /**
   * Whether the marks that the model expects are added at the beginning (and end). Default true;
   * with `continued` false.
   */
  marks?: boolean | undefined;
}

/**
 * Turns ids into text piece by piece and never emits half a character; the pieces joined are the
 * whole.
 */
export interface TextStream {
  /** The text that is complete after this token; often ''. */
  push(id: number): string;
  /** The rest: U+FFFD where a character was never completed. */
  end(): string;
}

export interface DecodeOptions {
  /** Whether control tokens are written out. Default false. */
  special?: boolean | undefined;
  /**
   * Whether this continues a text, so that a space the vocabulary puts before the first word is
   * one. Default false.
   */
  continued?: boolean | undefined;
}

export interface Tokenizer {
  /** Ids are 0 … size − 1. */
  readonly size: number;
  /** The id that begins a text, or −1; and whether `encode` puts it there. */
  readonly bos: number;
  readonly addsBos: boolean;
  /**
   * The ids that end a text. The files name some; control tokens that end a turn are others. The id
   * that begins a text is one as well, since another text would follow.
   */
  readonly ends: ReadonlySet<number>;
  encode(text: string, options?: EncodeOptions): number[];
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  stream(options?: DecodeOptions): TextStream;
  /** The token as the vocabulary writes it, for display. */
  token(id: number): string;
}

export interface ChatMessage {
  role: string;
  /**
   * A text, null, or parts such as `{ type: 'text', text }`, which a template must know. It may be
   * absent beside `tool_calls`.
   */
  content?: string | null | readonly ChatPart[] | undefined;
  /** All other properties reach the template as well. */
  [name: string]: unknown;
}

export interface ChatPart {
  type: string;
  [name: string]: unknown;
}

export interface TemplateOptions {
  /** Whether the prompt ends with the beginning of the answer. Default true. */
  addGenerationPrompt?: boolean | undefined;
  /**
   * Variables of the template, of values that JSON has: `enable_thinking`, `tools`, `documents` and
   * any other. `tools` and `documents` are none by default, as in transformers. A number without a
   * fraction is a whole number there.
   */
  variables?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChatTemplate {
  /** Why it cannot be run: `render` throws it. Null where it can. */
  readonly error: ClearheadError | null;
  /**
   * The prompt for these messages, by default with the beginning of the answer. Encode it with
   * `special: true, marks: false`, which makes tokens of control tokens that stand in a message as
   * well. `model.chat` does not. It also adds the token that begins a text, where that is missing.
   */
  render(messages: readonly ChatMessage[], options?: TemplateOptions): string;
}
