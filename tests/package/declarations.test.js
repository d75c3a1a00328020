/** The check of scripts/declarations.js finds what it should, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfSeveral } from '../../scripts/declarations.js';

test('a statement of C that declares two names is found by its line', () => {
  for (const statement of [
    'int a, b;',
    'static const float *k, *v;',
    'size_t n = f(a, b), m = 2;',
    'float x[4] = {1, 2, 3, 4}, y[4];',
    'double total = 0,\n  error = 0;',
    'struct point { int x; } a, b;',
    'unsigned flag : 1, other : 1;',
    'for (int i = 0, n = 4; i < n; i++) f(i);',
    'if (a) { int b; int c, d; }',
    'case 3: { int32_t a = 1, b; }',
    '#define TWO(a) \\\n  int a = 1, b;\n',
  ]) {
    const before = '/* int a, b; */\n#include "x.h"\n';
    const lines = linesOfSeveral(`${before}${statement}`);
    assert.equal(lines.length, 1, statement);
    assert.ok(lines[0] >= 3, `${statement}: line ${lines[0]}`);
  }
});

test('parameters, lists of values, enums and expressions are no second declaration', () => {
  for (const statement of [
    'int f(int a, int b);',
    'int f(int a, int b) { return g(a, b), a; }',
    'enum { A, B = 2, C };',
    'float x[2][2] = {{1, 2}, {3, 4}};',
    'point p = {.x = 1, .y = f(2, 3)};',
    'for (int i = 0; i < n; i++, j++) f(i, j);',
    'a = 1, b = 2;',
    'return a * b, c;',
    'int a; /* one, two */ // three, four',
    'const char *text = "int a, b;";',
    '#define LOWEST (-1)\nint a;\nvoid f(int b, int c);',
  ])
    assert.deepEqual(linesOfSeveral(statement), [], statement);
});
