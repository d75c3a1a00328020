/** The check of scripts/declarations.js finds what it should, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severalIn } from '../../scripts/declarations.js';

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
    const found = severalIn(`${before}${statement}`);
    assert.equal(found.length, 1, statement);
    assert.ok(found[0].line >= 3, `${statement}: line ${found[0].line}`);
    assert.equal(found[0].why, 'declares several names', statement);
  }
});

test('a comma between two expressions is found by its line', () => {
  for (const statement of [
    'a = 1, b = 2;',
    'return a * b, c;',
    'if (a)\n  b = 1, c = 2;',
    'else x[0] = f(a, b), x[1] = 2;',
    '#define NAMES(x) x##_a, x##_b\n',
  ]) {
    const found = severalIn(`int n;\n${statement}`);
    assert.equal(found.length, 1, statement);
    assert.ok(found[0].line >= 2, `${statement}: line ${found[0].line}`);
    assert.equal(found[0].why, 'is two statements with a comma', statement);
  }
});

test('parameters, lists of values, enums and expressions are no second declaration', () => {
  for (const statement of [
    'int f(int a, int b);',
    'int f(int a, int b) { return g(a, b); }',
    'for (i = 0, j = 1; i < n; i++, j++) f(i, j);',
    '#define SIZES(n) .rows = n, .columns = f(n, 2)\n',
    'enum { A, B = 2, C };',
    'float x[2][2] = {{1, 2}, {3, 4}};',
    'point p = {.x = 1, .y = f(2, 3)};',
    'for (int i = 0; i < n; i++, j++) f(i, j);',
    'int a; /* one, two */ // three, four',
    'const char *text = "int a, b;";',
    '#define LOWEST (-1)\nint a;\nvoid f(int b, int c);',
  ])
    assert.deepEqual(severalIn(statement), [], statement);
});
