/**
 * The targets of Clearhead, and whether this run reached them. Targets of speed are ratios within
 * one run, so that they mean the same on another machine. A target that was stated in absolute
 * figures is the share of the limit of the machine where it was set. The first result is judged by
 * both.
 */
import { costTargets } from './targets/costs.js';
import { leadOf } from './targets/lead.js';
import { figures } from './targets/measured.js';
import { modelTargets } from './targets/models.js';
import { speedTargets } from './targets/speed.js';
import { threadTargets } from './targets/threads.js';
import { trainingTargets } from './targets/training.js';
import { verdicts } from './targets/verdicts.js';

/**
 * @param {any} results
 * @returns {import('./targets/verdicts.js').Line[]}
 */
export function targets(results) {
  const measured = figures(results);
  const all = verdicts();
  speedTargets(measured, all);
  threadTargets(results, measured, all);
  costTargets(results, measured, all);
  modelTargets(results.models ?? [], all);
  trainingTargets(results, all);
  const [lead, behind] = measured.worst((c) => leadOf(measured.rowsOf(c.id)));
  all.atLeast('against the best peer', `closest: ${behind}`, 1, lead, ' times as fast');
  return all.lines;
}
