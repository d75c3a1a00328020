/**
 * Tells a story sentence by sentence. It remembers where everything is mentioned and which facts
 * the sentences state, so that questions can be answered with their source.
 *
 * @typedef {import('./entities.js').Entity} Entity
 * @typedef {[start: number, end: number]} Span of characters
 *
 * @typedef {{ kind: 'put', who?: Entity, thing: Entity, place: Entity }} Put
 * @typedef {{ kind: 'hold', who: Entity, thing: Entity }} Hold
 * @typedef {{ kind: 'list', who: Entity, verb: string, things: Entity[] }} List
 * @typedef {{ kind: 'order', people: Entity[] }} Order who came first, second, and so on
 * @typedef {{ kind: 'word', asks: string, word: Entity }} Word asks: the question it answers
 * @typedef {Put | Hold | List | Order | Word} Fact
 * @typedef {Fact & { sources: Map<Entity, Span>, said: Span }} Event
 *   sources: the mentions that tell it; said: where its sentences stand
 */

/** {A} or {A.he} in a pattern. */
const PLACE_OF_A_NAME = /\{(\w+)(?:\.(\w+))?\}/g;
/** The forms that stand for a name. */
const PRONOUNS = new Set(['he', 'him', 'himself', 'it', 'they', 'this']);
/** The forms that neither name anything nor stand for its name. */
const ABOUT = new Set(['his', 'is', 'was', 'has']);
/** Of a girl or a boy. */
const PERSONAL = new Set('he she him her his himself herself'.split(' '));

/** A pattern that begins with the name of somebody. */
const NAME_FIRST = /^\{[A-Z](\.full)?\}/;

/** @param {string} text */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** @param {Entity} entity @param {string} name of a form */
export function form(entity, name) {
  const plain = name && name[0].toLowerCase() + name.slice(1);
  const found = entity.forms[plain];
  if (found === undefined) throw new Error(`“${entity.key}” has no form “${name}”`);
  return plain === name ? found : capital(found);
}

export class Telling {
  text = '';
  /** @type {Event[]} */
  events = [];
  /** @type {Record<string, Entity | string>} */
  cast = {};
  /** Where everything is named, in the order of the text. @type {Map<Entity, Span[]>} */
  #mentions = new Map();
  /** Where “he” and “she” stand for somebody, with their other forms. @type {Span[]} */
  pronouns = [];

  /** @param {import('../random.js').Random} random */
  constructor(random) {
    this.random = random;
  }

  /** Adds to the names that patterns may use. @param {Record<string, Entity | string>} cast */
  set(cast) {
    Object.assign(this.cast, cast);
  }

  /**
   * Says one of these. No text and no paragraph begins with a name: without a space before it, a
   * name is another token.
   * @param {string[]} patterns
   */
  say(...patterns) {
    const pattern = this.random.pick(patterns);
    if (this.text && !this.text.endsWith('\n')) this.write(' ');
    else if (NAME_FIRST.test(pattern)) {
      if (this.text) throw new Error(`“${pattern}” begins a paragraph with a name`);
      this.write('Once ');
    }
    let at = 0;
    for (const match of pattern.matchAll(PLACE_OF_A_NAME)) {
      this.write(pattern.slice(at, match.index));
      at = match.index + match[0].length;
      const value = this.cast[match[1]];
      if (value === undefined) throw new Error(`“${pattern}” needs “${match[1]}”`);
      if (typeof value === 'string') this.write(value);
      else this.mention(value, match[2] ?? '');
    }
    this.write(pattern.slice(at));
  }

  /** Says one of these in half of the stories. @param {string[]} patterns */
  perhaps(...patterns) {
    if (this.random.chance(1, 2)) this.say(...patterns);
  }

  /**
   * Says one of these, which states the facts: in four of five stories one that is plain, where
   * there is one.
   * @param {Fact[]} facts
   * @param {string[]} patterns
   */
  tell(facts, ...patterns) {
    const start = this.text.length;
    const plain = patterns.filter((pattern) => this.#isPlain(facts, pattern));
    this.say(...(plain.length && this.random.chance(4, 5) ? plain : patterns));
    /** @type {Span} */
    const said = [start, this.text.length];
    for (const fact of facts) {
      const all = entitiesOf(fact).flatMap((entity) => {
        const span = this.#mentions.get(entity)?.at(-1);
        return span ? [/** @type {const} */ ([entity, span])] : [];
      });
      this.events.push({ ...fact, sources: new Map(all), said });
    }
  }

  /**
   * Whether a pattern names all that the facts are about, and has no pronoun for them.
   * @param {Fact[]} facts
   * @param {string} pattern
   */
  #isPlain(facts, pattern) {
    const entities = new Set(facts.flatMap(entitiesOf));
    const named = new Set();
    for (const [, name, word = ''] of pattern.matchAll(PLACE_OF_A_NAME)) {
      const entity = this.cast[name];
      if (typeof entity === 'string' || !entities.has(entity)) continue;
      if (PRONOUNS.has(word.toLowerCase())) return false;
      if (!ABOUT.has(word)) named.add(entity);
    }
    return named.size === entities.size;
  }

  /** Begins a paragraph. */
  paragraph() {
    this.write('\n\n');
  }

  /** Adds words to the text. @param {string} words */
  write(words) {
    this.text += words;
  }

  /** @param {Entity} entity @param {string} name of a form */
  mention(entity, name) {
    const words = form(entity, name);
    const at = words.lastIndexOf(entity.core);
    if (at >= 0) {
      const start = this.text.length + at;
      const all = this.#mentions.get(entity) ?? [];
      this.#mentions.set(entity, [...all, [start, start + entity.core.length]]);
    } else if (PERSONAL.has(words.toLowerCase()))
      this.pronouns.push([this.text.length, this.text.length + words.length]);
    this.write(words);
  }

  /** Where somebody or something told before comes again: names and pronouns. @returns {Span[]} */
  get again() {
    return [...[...this.#mentions.values()].flatMap((all) => all.slice(1)), ...this.pronouns];
  }

  /** Where it is named from a position on. @param {Entity} entity @param {number} from */
  mentionsFrom(entity, from) {
    return (this.#mentions.get(entity) ?? []).filter(([start]) => start >= from);
  }
}

/** @param {Fact} fact @returns {Entity[]} */
export function entitiesOf(fact) {
  switch (fact.kind) {
    case 'put':
      return [...(fact.who ? [fact.who] : []), fact.thing, fact.place];
    case 'hold':
      return [fact.who, fact.thing];
    case 'list':
      return [fact.who, ...fact.things];
    case 'order':
      return fact.people;
    case 'word':
      return [fact.word];
  }
}
