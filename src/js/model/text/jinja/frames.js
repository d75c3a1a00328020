/**
 * Frames of variables: the template, and each body of a loop, a macro, a call, a filter or a set.
 * As in jinja2 (idtracking.py), the names that a frame assigns are known before a run. A name hides
 * a variable of the caller from the beginning, unless its frame reads it before or assigns it in a
 * condition alone.
 */
import { Scope } from './scope.js';
import { namesIn } from './tree.js';
import { fail } from './values.js';

/** @typedef {import('./tree.js').Node} Node */

/** The names that a frame hides, by its body. @type {WeakMap<Node[], string[]>} */
const hidden = new WeakMap();

/** A scope for a body. @param {Node[]} body @param {Scope} parent */
export function frameOf(body, parent) {
  const scope = new Scope(parent);
  for (const name of hidden.get(body) ?? []) scope.set(name, undefined);
  return scope;
}

/** The names of a frame. */
class Names {
  /** Whether each name hides those of the caller. @type {Map<string, boolean>} */
  known = new Map();

  /** @param {Names | null} parent */
  constructor(parent) {
    this.parent = parent;
  }

  /** @param {string} name @returns {boolean} */
  has(name) {
    return this.known.has(name) || Boolean(this.parent?.has(name));
  }

  /** @param {string} name */
  read(name) {
    if (!this.has(name)) this.known.set(name, false);
  }

  /** @param {string} name @param {boolean} maybe whether it is in a condition */
  store(name, maybe) {
    if (!this.known.has(name)) this.known.set(name, !maybe && !this.parent?.has(name));
  }

  /** @param {string} name */
  parameter(name) {
    this.known.set(name, false);
  }
}

/** A frame, whose body is visited before those inside: these may read names that follow. */
class Frame {
  #names;
  #inLoop;
  /** Visits of the frames inside. @type {(() => void)[]} */
  #inner = [];

  /** @param {Names | null} parent @param {boolean} inLoop */
  constructor(parent, inLoop) {
    this.#names = new Names(parent);
    this.#inLoop = inLoop;
  }

  /** @param {Node[]} body @param {(names: Names) => void} [begin] */
  visit(body, begin) {
    begin?.(this.#names);
    this.#statements(body, false);
    const names = [...this.#names.known].filter(([, hides]) => hides).map(([name]) => name);
    hidden.set(body, names);
    for (const visit of this.#inner) visit();
  }

  /**
   * @param {Node[]} body
   * @param {boolean} [inLoop]
   * @param {(names: Names) => void} [begin]
   */
  #later(body, inLoop = this.#inLoop, begin = undefined) {
    this.#inner.push(() => new Frame(this.#names, inLoop).visit(body, begin));
  }

  /** @param {Node} node */
  #read(node) {
    for (const name of namesIn(node)) this.#names.read(name);
  }

  /** @param {Node[]} nodes @param {boolean} maybe */
  #statements(nodes, maybe) {
    for (const node of nodes) this.#statement(node, maybe);
  }

  /** @param {Node} node @param {boolean} maybe whether it is in a condition */
  #statement(node, maybe) {
    const names = this.#names;
    switch (node.type) {
      case 'Set': {
        this.#read(node.value);
        const target = targetOf(node.assignee);
        if (target.type === 'MemberExpression') this.#read(target);
        else for (const name of namesIn(target)) names.store(name, maybe);
        if (!node.value) this.#later(node.body);
        break;
      }
      case 'If':
        this.#read(node.test);
        this.#statements([...node.body, ...node.alternate], true);
        break;
      case 'For': {
        const { loopvar, iterable, body, defaultBlock } = node;
        this.#read(iterable.type === 'SelectExpression' ? iterable.lhs : iterable);
        this.#later(body, true, (inner) => {
          for (const name of namesIn(loopvar)) inner.parameter(name);
        });
        this.#later(defaultBlock);
        break;
      }
      case 'Macro':
        names.store(node.name.value, maybe);
        this.#later(node.body, false, (inner) => parameters(node.args, inner));
        break;
      case 'CallStatement':
        this.#read(node.call);
        this.#later(node.body, false, (inner) => parameters(node.callerArgs ?? [], inner));
        break;
      case 'FilterStatement':
        this.#read(node.filter.args);
        this.#later(node.body);
        break;
      case 'Break':
      case 'Continue':
        if (!this.#inLoop) fail('break or continue outside a loop');
        break;
      default:
        this.#read(node);
    }
  }
}

/** Without the filters of a block that is assigned. @param {Node} node @returns {Node} */
const targetOf = (node) => (node.type === 'FilterExpression' ? targetOf(node.operand) : node);

/** @param {Node[]} args of a macro @param {Names} names */
function parameters(args, names) {
  for (const { key, value } of args) names.parameter(key?.value ?? value);
  for (const { key, value } of args) if (key) for (const name of namesIn(value)) names.read(name);
}

/** Finds the names of all frames. @param {Node} program */
export function withFrames(program) {
  new Frame(null, false).visit(program.body);
  return program;
}
