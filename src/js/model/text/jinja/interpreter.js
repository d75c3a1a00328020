/** Evaluates the tree of a template. */
import { EXPRESSIONS } from './expressions.js';
import { STATEMENTS } from './statements.js';
import { str } from './print.js';
import { unsupported } from './values.js';

/**
 * @typedef {import('./tree.js').Node} Node
 * @typedef {import('./values.js').Value} Value
 * @typedef {import('./scope.js').Scope} Scope
 */

export class Interpreter {
  /** A `break` or `continue` on its way to its loop. @type {'Break' | 'Continue' | null} */
  flow = null;

  /** @param {import('./limits.js').Budget} budget */
  constructor(budget) {
    this.budget = budget;
  }

  /**
   * @param {Node} node
   * @param {Scope} scope
   * @param {boolean} [printed]
   * @returns {Value}
   */
  evaluate(node, scope, printed = false) {
    const f = EXPRESSIONS[node.type] ?? STATEMENTS[node.type];
    if (!f) unsupported(node.type);
    return this.budget.deeper(() => {
      const value = f(node, scope, this);
      this.budget.pay(value, printed);
      return value;
    });
  }

  /** The text of a block. @param {Node[]} nodes @param {Scope} scope */
  block(nodes, scope) {
    let text = '';
    for (const node of nodes) {
      text += str(this.evaluate(node, scope, true));
      if (this.flow) break;
    }
    return text;
  }
}
