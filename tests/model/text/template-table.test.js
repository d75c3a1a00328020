/**
 * Templates against jinja2. Each row of template-table.json has a template, the text that jinja2
 * 3.1.6 makes of it, and perhaps a construct that we refuse by this name. Where jinja2 refuses a
 * template, the text is null.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prepare } from '../../../src/js/model/text/jinja/program.js';

const { variables, groups } = JSON.parse(
  readFileSync(new URL('template-table.json', import.meta.url), 'utf8'),
);
const rows = Object.values(groups).flat();

/** jinja2 prints addresses of functions. */
const withoutAddresses = (text) => text.replace(/0x[\da-f]{6,}/g, '0x');

/** The text of a template, or the message of its error. */
function outcome(template) {
  try {
    return { text: prepare(template)(variables) };
  } catch (error) {
    assert.equal(error.name, 'ClearheadError', `${template}: ${error.stack}`);
    return { refused: error.message };
  }
}

describe('a template gives the text of jinja2, or is refused by name', () => {
  for (const [name, cases] of Object.entries(groups))
    test(`${name}: ${cases.length} templates`, () => {
      for (const [template, right, named] of cases) {
        const { text, refused } = outcome(template);
        if (right === null) assert.ok(refused, `${template} gives ${JSON.stringify(text)}`);
        else if (named) assert.ok(refused?.includes(named), `${template}: ${refused ?? text}`);
        else assert.deepEqual({ text, refused }, { text: right, refused: undefined }, template);
      }
    });

  test('few of the templates that jinja2 renders are refused', (t) => {
    const rendered = rows.filter(([, right]) => right !== null);
    const refused = rendered.filter(([, , named]) => named);
    t.diagnostic(`${refused.length} of ${rendered.length}`);
    assert.ok(rendered.length >= 800);
    assert.ok(refused.length * 20 < rendered.length);
  });
});

/** The answers of the installed jinja2; null without one. */
function jinja2(templates) {
  const script = fileURLToPath(
    new URL('../../support/models/jinja2-reference.py', import.meta.url),
  );
  const input = JSON.stringify({ variables, templates });
  const { status, stdout } = spawnSync('python3', [script], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return status === 0 ? JSON.parse(stdout) : null;
}

const skip = jinja2([]) ? false : 'skipped, not present';

test('the table has the texts of jinja2 as it is installed', { skip }, () => {
  const found = jinja2(rows.map(([template]) => template));
  for (const [i, [template, right]] of rows.entries()) {
    const { text } = found[i];
    const plain = text === undefined ? null : withoutAddresses(text);
    assert.equal(plain, right, template);
  }
});
