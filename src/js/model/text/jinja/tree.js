/**
 * The tree of the library's parser, mended: parentheses are groups again, joins bind closer than
 * sums, and comparisons in a row are chains.
 */
import { GROUP, TUPLE } from './rewrite.js';
import { fail } from './values.js';

/** @typedef {any} Node */

const isBinary = (/** @type {Node} */ node, /** @type {RegExp} */ operators) =>
  node?.type === 'BinaryExpression' && operators.test(node.operator.value);
const SUMS = /^[+-]$/;
const COMPARISONS = /^([<>]=?|[=!]=|(not )?in)$/;

/** @param {Node} node @returns {Node} */
export function mended(node) {
  if (Array.isArray(node)) return node.map(mended);
  if (node instanceof Map) return new Map([...node].map(([a, b]) => [mended(a), mended(b)]));
  if (typeof node !== 'object' || !node || !('type' in node)) return node;
  for (const [name, part] of Object.entries(node))
    if (typeof part === 'object' && name !== 'operator') node[name] = mended(part);
  if (node.type === 'MemberExpression' && !node.computed) return marked(node);
  if (node.filter && (node.filter.callee ?? node.filter).type !== 'Identifier')
    fail('an index or a call follows a filter without parentheses');
  if (node.type === 'If' && /^(Ternary|SelectExpression)$/.test(node.test.type))
    fail('a condition "a if b" needs parentheses');
  if (isBinary(node, /^~$/) && isBinary(node.left, SUMS)) {
    const sum = node.left;
    node.left = sum.right;
    sum.right = node;
    return sum;
  }
  const left = node.left;
  if (isBinary(node, COMPARISONS) && (left.type === 'Chain' || isBinary(left, COMPARISONS)))
    return {
      type: 'Chain',
      first: left.first ?? left.left,
      steps: [...(left.steps ?? [left]), node].map(({ operator, right }) => ({
        operator,
        right,
      })),
    };
  return node;
}

/** The node that a mark of rewrite.js stands for. @param {Node} node */
function marked(node) {
  if (node.property.value === GROUP) return { type: 'Group', inner: node.object };
  if (node.property.value === TUPLE) return { type: 'TupleLiteral', value: node.object.value };
  return node;
}

/**
 * The names that are read somewhere in a tree.
 * @param {Node} node
 * @returns {Generator<string, void, void>}
 */
export function* namesIn(node) {
  if (typeof node !== 'object' || !node) return;
  if (Array.isArray(node) || node instanceof Map) for (const one of node) yield* namesIn(one);
  else if (node.type === 'Identifier') yield node.value;
  else
    for (const [part, one] of Object.entries(node))
      if (part === 'filter') yield* namesIn(one.args);
      else if (
        !(node.type === 'MemberExpression' && part === 'property' && !node.computed) &&
        part !== 'key' &&
        part !== 'operator'
      )
        yield* namesIn(one);
}

/**
 * Whether a name is read somewhere in a tree.
 * @param {string} name
 * @param {Node} node
 */
export function mentions(name, node) {
  for (const one of namesIn(node)) if (one === name) return true;
  return false;
}
