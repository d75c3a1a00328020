/**
 * The prose in a file: comments and messages of a source file, names of tests, paragraphs of a
 * document, and the text of a page. Each piece comes as [its first line, its text]. Code, formulas
 * and headings are left out.
 */

const blank = (part) => part.replace(/[^\n]/g, '');
const lineAt = (text, index) => text.slice(0, index).split('\n').length;

/** Moves the items of a list to the margin, with the lines that go on with them. */
function outdented() {
  let inside = 0;
  return (line) => {
    const indent = line.search(/\S/);
    if (/^\s+- /.test(line)) inside = indent + 2;
    else if (indent !== inside) inside = 0;
    return inside ? line.trimStart() : line;
  };
}

/** The comments of a source file, without the code and tables in them. */
function comments(text, hash) {
  const pattern = hash
    ? /(?:^|\s)#(?!!)((?:.*)(?:\n\s*#.*)*)/gm
    : /\/\*\*?([\s\S]*?)\*\/|(?:^|[\s;,{}()])\/\/(?!\/)((?:.*)(?:\n\s*\/\/.*)*)/gm;
  return [...text.matchAll(pattern)].map((match) => {
    const prose = (match[1] ?? match[2])
      .split('\n')
      .map((line) => line.replace(/^\s*(\*|\/\/|#) ?/, ''))
      .map(outdented())
      // code, formulas and tables are indented
      .map((line) => (/^\s{2,}|^\|/.test(line) ? '' : line))
      .join('\n')
      .replace(/```[\s\S]*?```|@example[\s\S]*?(?=\n@|$)/g, '')
      .replace(/\{@link ([^}]*)\}/g, '$1')
      .replace(/@(type|typedef|template|enum|callback|implements|extends|import)\b[^\n]*/g, '')
      .replace(/@(param|property)\s*(\{(\{[^{}]*\}|[^{}])*\})?\s*(\[[^\]]*\]|[\w.$]+)?/g, '. ')
      .replace(/@(throws|returns?)\s*(\{(\{[^{}]*\}|[^{}])*\})?/g, '. ')
      .replace(/^\s*(-|\d+\.) /gm, '. ');
    return [lineAt(text, match.index), prose];
  });
}

/** The source without its comments, line by line as before. */
export const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(^|[\s;,{}()])\/\/.*$/gm, '$1');

/** A string of at least this many words is a message; a shorter one is a name or some code. */
const MESSAGE_WORDS = 5;

/** The messages of a JavaScript file. A number or name put into one counts as a word. */
function messages(text) {
  const literal = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
  const joined = new RegExp(`(?:${literal.source})(?:\\s*\\+\\s*(?:${literal.source}))*`, 'g');
  const code = withoutComments(text);
  return [...code.matchAll(joined)].flatMap((match) => {
    const prose = [...match[0].matchAll(literal)]
      .map(([part]) => part.slice(1, -1))
      .join('')
      .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'value')
      .replace(/\\n|\s{2,}/g, '\n\n') // columns and lines of a table
      .replace(/[^{}]*\{[^{}]*:[^{}]*\}/g, '') // style sheets
      .replace(/\\(['"`])/g, '$1');
    const isMessage = prose.split(/\s+/).filter((word) => /^[\p{L}(“'"]+/u.test(word)).length;
    return isMessage >= MESSAGE_WORDS ? [[lineAt(code, match.index), prose]] : [];
  });
}

/** The names of tests and of groups of tests. */
function titles(text) {
  const pattern = /\b(?:test|describe|claim)\(\s*('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;
  const code = withoutComments(text);
  return [...code.matchAll(pattern)].map(({ index, 1: quoted }) => [
    lineAt(code, index),
    quoted
      .slice(1, -1)
      .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'value')
      .replace(/\\(['`])/g, '$1'),
  ]);
}

/** The paragraphs, list items and table cells of a Markdown file. */
function paragraphs(text) {
  const prose = text
    .replace(/```[\s\S]*?```|<!--[\s\S]*?-->/g, blank)
    .replace(/^\s*(#|<).*$/gm, '')
    .replace(/^\s*\|.*$/gm, (row) =>
      row
        .replace(/\\\|/g, '')
        .replace(/`[^`]*`/g, (code) => code.replaceAll('|', ' '))
        .replaceAll('|', ' . '),
    )
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^\s*([-*]|\d+\.) /gm, '. ');
  return [...prose.matchAll(/(?:^.*\S.*$\n?)+/gm)].map((match) => [
    lineAt(prose, match.index),
    match[0],
  ]);
}

/** The text of the paragraphs, cells and list items of an HTML page. */
function pageText(text) {
  const visible = text
    .replace(/<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1>/g, blank)
    .replace(/<code>[\s\S]*?<\/code>/g, (code) => `code${blank(code)}`)
    .replace(/<h\d[\s\S]*?<\/h\d>/g, blank);
  return [...visible.matchAll(/<(p|td|th|li|caption)\b[^>]*>([\s\S]*?)<\/\1>/g)].map((match) => [
    lineAt(text, match.index),
    match[2].replace(/<[^>]*>/g, ' ').replace(/\s+([.,;:])/g, '$1'),
  ]);
}

/**
 * @param {string} file its name tells how it is read
 * @param {string} text
 * @returns {[number, string][]}
 */
export function proseOf(file, text) {
  if (file.endsWith('.md')) return paragraphs(text);
  if (file.endsWith('.html')) return pageText(text);
  const hash = /\.(sh|cmake)$|CMakeLists\.txt$/.test(file);
  // the world of the stories is written in sentences that are no messages
  const speaks = /^(src|web|scripts|bench|training(?!\/stories\/world))\/.*\.js$/.test(file);
  const tests = /^tests\/.*\.js$/.test(file);
  return [
    ...comments(text, hash),
    ...(speaks ? messages(text) : []),
    ...(tests ? titles(text) : []),
  ];
}
