import { ClearheadError } from '../js/index.js';
import { inspectModel } from '../js/model/index.js';
import { FILE, harmless, modelAt, rounded, size } from './model-file.js';

export const usage = `  clearhead info [--json] FILE
      Describes a model: architecture, sizes, types of its weights, its memory.
      Its weights are not read.
      ${FILE}`;

export const options = { json: { type: 'boolean' } };
export const positionals = true;

/** @param {{ json?: boolean }} given @param {string[]} files @returns {Promise<number>} */
export async function run({ json }, [file, ...rest]) {
  if (rest.length)
    throw new ClearheadError(
      'ARG',
      `after FILE there is "${rest[0].slice(0, 40)}"; expected one file`,
    );
  const model = await inspectModel(await modelAt(file));
  console.log(json ? JSON.stringify(model, null, 2) : harmless(inWords(model)));
  return 0;
}

/** @param {import('../js/model/api.d.ts').ModelInspection} model */
function inWords({
  format,
  config: c,
  parameters,
  bytes,
  types,
  vocabulary,
  hasTemplate,
  cacheBytes,
}) {
  const line = (/** @type {string} */ name, /** @type {string} */ text) =>
    `${name.padEnd(12)} ${text}`;
  const kinds = [
    c.qkvBias && 'biases on q, k and v',
    c.qkNorm && 'normalised queries and keys',
    c.postNorms && 'norms after each block',
    c.attnSoftcap && `attention softcap ${c.attnSoftcap}`,
    c.finalSoftcap && `logit softcap ${c.finalSoftcap}`,
  ].filter(Boolean);
  const local = c.localLayers.filter(Boolean).length;
  const attention =
    c.heads === c.kvHeads ? 'multi-head' : c.kvHeads === 1 ? 'multi-query' : 'grouped-query';
  const grouped = c.heads === c.kvHeads ? '' : ` on ${c.kvHeads} key/value heads`;
  const scaled = c.ropeScaling.type === 'none' ? '' : `, scaled (${c.ropeScaling.type})`;
  const windows = local ? `; ${local} layers see the last ${c.slidingWindow} positions only` : '';
  const lines = [
    line(
      'architecture',
      `${c.architecture}${kinds.length ? ` (${kinds.join(', ')})` : ''}, ` +
        `${format === 'gguf' ? 'GGUF' : 'safetensors'}`,
    ),
    line(
      'parameters',
      `${rounded(parameters)}, ` +
        `${c.tiedOutput ? 'the output shares the embedding' : 'with an output matrix of its own'}`,
    ),
    line(
      'layers',
      `${c.layers}, ${c.modelDim} channels, ` +
        `${c.ffnDim} in the feed-forward block (${c.activation})`,
    ),
    line(
      'attention',
      `${attention}: ${c.heads} heads${grouped}, of ${c.headDim} channels${windows}`,
    ),
    line(
      'positions',
      `${c.context.toLocaleString('en')}, RoPE base ${c.ropeTheta}` +
        `${local ? ` (${c.ropeLocalTheta} in windows)` : ''}${scaled}`,
    ),
    line(
      'vocabulary',
      `${c.vocab.toLocaleString('en')} tokens` +
        `${vocabulary ? '' : ', but no tokenizer beside the weights'}, ` +
        `${hasTemplate ? 'with' : 'without'} a chat template`,
    ),
    line(
      'weights',
      `${size(bytes)}: ${Object.entries(types)
        .map(([type, count]) => `${count} × ${type}`)
        .join(', ')}`,
    ),
    line('cache', `${size(cacheBytes)} for each 1024 positions`),
  ];
  return lines.join('\n');
}
