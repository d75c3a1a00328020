import { refuse } from '../../errors.js';
import { STATUS } from '../../engine/status.js';
import { F32 } from '../../engine/tensor.js';
import { STATISTICS, readStatistics } from '../../attention/statistics.js';
import { addEdits, addMasks } from '../inside/edits.js';
import { beginRecording, recordOfLast } from '../inside/recording.js';
import { beginPass } from './pass-begin.js';
import { SpanSums } from './span-sums.js';

/**
 * One pass over some tokens (decoder.h). It has memory of its own until `end`, so that the engine
 * may do other work between two of its runs.
 *
 * @typedef {import('../inside/recording.js').RecordRequest} RecordRequest
 *
 * @typedef {object} Request which observations of the heads a pass makes
 * @property {boolean} stats
 * @property {readonly (readonly [number, number])[]} [heads] pairs [layer, head] whose weights are
 *   wanted
 * @property {readonly import('../../attention/spans.js').Span[]} [spans] whose weights are summed
 * @property {RecordRequest} [record]
 * @property {Pick<RecordRequest, 'names' | 'layers'>} [trace] the record of the last token
 * @property {RecordRequest[]} [ledger] the records of a ledger
 * @property {{ layer: number, x: Float32Array }} [start] begin with the residual stream before this
 *   layer, (tokens, modelDim)
 * @property {(allocate: (bytes: number) => number) => import('../inside/edits.js').Edit[]} [edits]
 *   changes, in memory that lives as long as the pass
 *
 * @typedef {{ position: number, layer: number }} Again compute this token of the caches again, up
 *   to the attention of `layer`, or to its logits if that is the number of layers
 * @typedef {{ layer: number, head: number, at: number }} Row
 */

/** The planes of attn_pass_want_stats. */
const PLANES = [...STATISTICS, 'firstWeight'];

export class Pass {
  /** @type {{ at: number, bytes: number }[]} */
  #blocks = [];
  #decoder;
  #at;
  #team;
  #scratchBytes;
  /** @type {SpanSums | undefined} */
  #spans;
  /** @type {import('../inside/recording.js').Recording | undefined} */
  #recording;
  /** @type {import('../inside/recording.js').Recording[] | undefined} */
  #ofLedger;
  /** Where the statistics are, if they are wanted. @type {number | undefined} */
  #statistics;
  /** The rows of weights that are wanted. @type {Row[] | undefined} */
  rows;
  /** Steps that have not run: layers, and parts of the product with the output matrix. */
  remaining = 0;

  /**
   * @param {import('./decoder.js').Decoder} decoder
   * @param {ArrayLike<number>} tokens
   * @param {number} outputs the number of last tokens whose logits are computed
   * @param {number} length of the caches when it is done
   * @param {Request} request
   * @param {Again} [again]
   */
  constructor(decoder, tokens, outputs, length, request, again) {
    const { memory, config, at: model } = decoder;
    const t = tokens.length;
    this.#decoder = decoder;
    this.t = t;
    this.length = length;
    try {
      const allocate = (/** @type {number} */ size) => this.#allocate(size);
      if (request.spans) this.#spans = new SpanSums(decoder, request.spans, t, allocate);
      this.#scratchBytes = Math.ceil((memory.c.attn_pass_scratch_bytes(model, t) >>> 0) / 64) * 64;
      this.#team = this.#allocate(memory.c.attn_team_bytes());
      const scratch = this.#allocate(this.#scratchBytes);
      const threads = memory.pool?.threads ?? 1;
      // the memory is sized for all threads, though the team is the calling thread until `run`
      memory.c.attn_team_open(this.#team, threads, scratch, this.#scratchBytes);
      const bytes = memory.c.attn_pass_bytes(model, this.#team, t, outputs) >>> 0;
      if (!bytes) refuse('LIMIT', 'tokens', `${t} at once`, 'fewer');
      this.#at = this.#allocate(bytes);
      const at = { pass: this.#at, model, team: this.#team };
      const status = beginPass(memory, at, tokens, outputs, request.start, again);
      if (status)
        refuse(
          STATUS[status],
          'tokens',
          `${t}, for caches of then ${length}`,
          `ids below ${config.vocab} that fit into the caches`,
        );
      this.remaining = memory.c.attn_pass_remaining(this.#at);
      memory.c.attn_team_open(this.#team, 1, scratch, this.#scratchBytes);
      this.#observe(request, outputs, again ? again.position : length - t, allocate);
    } catch (error) {
      this.end();
      throw error;
    } finally {
      this.#spans?.leave();
    }
  }

  /**
   * Asks C for the observations of a request, and gives it the changes.
   * @param {Request} request
   * @param {number} outputs
   * @param {number} from the position of the first token
   * @param {(bytes: number) => number} allocate
   */
  #observe(request, outputs, from, allocate) {
    const { memory, config, interventions } = this.#decoder;
    const { t, length } = this;
    if (request.stats) {
      this.#statistics = allocate(PLANES.length * config.layers * config.heads * t * 4);
      memory.c.attn_pass_want_stats(this.#at, this.#statistics);
    }
    this.#spans?.want(this.#at);
    const { trace, record = trace && recordOfLast(trace, t), ledger, edits } = request;
    if (interventions) addMasks(memory, this.#at, interventions, { from, t, length }, allocate);
    addEdits(memory, this.#at, edits?.(allocate) ?? [], allocate);
    const begin = (/** @type {RecordRequest} */ each) =>
      beginRecording(memory, config, this.#at, each, this, outputs, allocate);
    if (record) this.#recording = begin(record);
    this.#ofLedger = ledger?.map(begin);
    const { heads: chosen = [] } = request;
    this.rows = request.heads && [];
    for (const layer of new Set(chosen.map(([each]) => each)))
      this.#wantRows(layer, [
        ...new Set(chosen.filter(([each]) => each === layer).map(([, head]) => head)),
      ]);
  }

  /** @param {number} bytes */
  #allocate(bytes) {
    const at = this.#decoder.memory.allocate(bytes);
    this.#blocks.push({ at, bytes });
    return at;
  }

  /** @param {number} layer @param {number[]} chosen heads */
  #wantRows(layer, chosen) {
    const { memory, config } = this.#decoder;
    const pattern = this.#recording?.patternAt(layer);
    if (pattern !== undefined) {
      const at = (/** @type {number} */ head) =>
        pattern + 4 * this.length * ((head + 1) * this.t - 1);
      for (const head of chosen) this.rows?.push({ layer, head, at: at(head) });
      return;
    }
    const at = this.#allocate(chosen.length * this.length * 4);
    const slots = this.#allocate(config.heads * 4);
    const slot = memory.view('int32', slots, config.heads).fill(-1);
    chosen.forEach((head, x) => {
      slot[head] = x;
      this.rows?.push({ layer, head, at: at + x * this.length * 4 });
    });
    memory.c.attn_pass_want_weights(this.#at, layer, at, slots, chosen.length, 0);
  }

  /**
   * Runs some more steps. False: a thread was lost, and the whole pass with it.
   * @param {number} steps
   */
  run(steps) {
    const { memory } = this.#decoder;
    const go = (/** @type {number} */ team) =>
      void (this.remaining = memory.c.attn_pass_run(this.#at, team, steps));
    const whole = memory.pool?.worth(0, this.#decoder.cost * this.t * steps)
      ? memory.scope(() =>
          /** @type {import('../../engine/pool.js').Pool} */ (memory.pool).together(
            this.#scratchBytes,
            go,
          ),
        )
      : (go(this.#team), true);
    // the lost thread may still write to this memory, so it is never given back
    if (!whole) this.#blocks = [];
    return whole;
  }

  /** Copies the logits to an array (outputs, vocab). @param {Float32Array} to */
  logits(to) {
    const { memory } = this.#decoder;
    to.set(memory.view(F32, memory.c.attn_pass_logits(this.#at) >>> 0, to.length));
  }

  /** Of the layer run last: (t, heads, headDim), a copy. @returns {Float32Array} */
  queries() {
    const { memory, config } = this.#decoder;
    return memory.copy(
      F32,
      memory.c.attn_pass_queries(this.#at) >>> 0,
      this.t * config.heads * config.headDim,
    );
  }

  /**
   * A copy of the observations.
   * @returns {Partial<import('../api.d.ts').HeadStats> | undefined}
   */
  heads() {
    const { memory, config } = this.#decoder;
    const rows = config.layers * config.heads * this.t;
    if (this.#statistics === undefined && !this.rows && !this.#spans) return undefined;
    const statistics =
      this.#statistics !== undefined && readStatistics(memory, F32, this.#statistics, rows, PLANES);
    return {
      ...statistics,
      ...(statistics && {
        effectiveKeys: /** @type {Float32Array} */ (statistics.entropy).map(Math.exp),
      }),
      ...(this.#spans && { spans: this.#spans.sums() }),
      ...(this.rows && { weights: this.weights() }),
    };
  }

  /** Copies of the rows of weights. @returns {import('../api.d.ts').HeadRow[]} */
  weights() {
    const { memory } = this.#decoder;
    return (this.rows ?? []).map(({ layer, head, at }) => ({
      layer,
      head,
      weights: memory.copy(F32, at, this.length),
    }));
  }

  /** Copies of all that was recorded. */
  recorded() {
    return {
      record: this.#recording?.copies(),
      ledger: this.#ofLedger?.map((recording) => recording.copies()),
    };
  }

  end() {
    // the last first: each is then the top of the memory, if it was when it was allocated
    for (let block = this.#blocks.pop(); block; block = this.#blocks.pop())
      this.#decoder.memory.release(block.at, block.bytes);
  }
}
