/** The variables of a block of a template. Others are looked up in the block around it. */
export class Scope {
  /** @type {Map<string, any>} */
  variables = new Map();

  /** @param {Scope | null} [parent] */
  constructor(parent = null) {
    this.parent = parent;
  }

  /** @param {string} name @returns {any} */
  get(name) {
    for (let scope = /** @type {Scope | null} */ (this); scope; scope = scope.parent)
      if (scope.variables.has(name)) return scope.variables.get(name);
    return undefined;
  }

  /** @param {string} name @param {any} value */
  set(name, value) {
    this.variables.set(name, value);
  }
}
