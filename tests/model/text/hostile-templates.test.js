/** A hostile template ends within seconds, and reaches nothing but its variables. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { worked } from '../../support/clock.js';
import { render } from '../../support/models/templates.js';
import { refuses } from '../../support/streams.js';

describe('a hostile template ends within seconds', () => {
  const grown = (doublings) =>
    `{% set ns = namespace(s='a') %}{% for i in range(${doublings}) %}{% set ns.s = ns.s + ` +
    'ns.s %}{% endfor %}';
  const again = (what) => `${grown(19)}{% for i in range(4000) %}${what}{% endfor %}`;
  /** Each ends in an error of ours, of the kind beside it. */
  const cases = {
    'a range of a thousand million': [
      '{% for i in range(1000000000) %}a{% endfor %}',
      /range of 1000000000; expected at most 4096/,
    ],
    'a range without end': ['{{ range(1000000000) }}', /range of 1000000000/],
    'loops in loops': [
      '{% for i in range(4000) %}{% for j in range(4000) %}{% for k in range(4000) %}{% ' +
        'endfor %}{% endfor %}{% endfor %}',
      /steps/,
    ],
    'a text that doubles': [`${grown(60)}{{ ns.s }}`, /text of more than 1048576/],
    'a thousand million laughs': [
      "{% set ns = namespace(s='a') %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] " +
        '%}{% endfor %}{{ ns.s|tojson }}',
      /steps|nested/,
    ],
    'a value inside itself': [
      '{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns.a|string }}',
      /nested deeper/,
    ],
    'replacing everything by much': [
      `${grown(19)}{{ ns.s.replace('a', ns.s)|length }}`,
      /too long/,
    ],
    'the same by another name': [
      `${grown(19)}{% set f = ns.s.replace %}{{ f('a', ns.s)|length }}`,
      /too long/,
    ],
    'the same as a filter': [`${grown(19)}{{ ns.s|replace('a', ns.s)|length }}`, /too long/],
    'an indent of 500 million': ["{{ 'a\nb'|indent(500000000) }}", /too long/],
    'the same by keyword': ["{{ 'a\nb'|indent(width=500000000) }}", /too long/],
    'JSON indented by 500 million': ['{{ [1, 2]|tojson(indent=500000000) }}', /too long/],
    'looking for a long text in another': [
      `${grown(17)}{{ (ns.s + 'b' + ns.s) in (ns.s + ns.s + ns.s + ns.s) }}`,
      /too long/,
    ],
    'the same the other way': [
      `${grown(17)}{{ (ns.s + 'b' + ns.s) not in (ns.s + ns.s + ns.s + ns.s) }}`,
      /too long/,
    ],
    'looking for a shorter one again and again': [
      `${grown(12)}{% for i in range(4000) %}{% if (ns.s + 'b') in (ns.s + ns.s) %}{% ` +
        'endif %}{% endfor %}',
      /steps/,
    ],
    'cutting there': [
      `${grown(12)}{% for i in range(4000) %}{% set x = (ns.s + ns.s).split(ns.s + 'b') ` +
        '%}{% endfor %}',
      /steps/,
    ],
    'looking for what a macro computed in the same place': [
      `${grown(17)}{% macro f(n) %}{% if n %}{{ ns.s }}{{ ((ns.s + 'b' + ns.s) if n > 1 ` +
        `else 'a') in f(n - 1) }}{% endif %}{% endmacro %}{{ f(2) }}`,
      /too long/,
    ],
    'joining by much': [`${grown(19)}{{ range(4000)|join(ns.s) }}`, /too long/],
    'a filter block': ['{% filter indent(500000000) %}a\nb{% endfilter %}', /too long/],
    'a macro that calls itself': ['{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}', /deep/],
    'one that calls itself twice': [
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}',
      /steps/,
    ],
    'cutting up a long text again and again': [again('{% set x = ns.s[::1] %}'), /steps/],
    'splitting it': [again("{% set x = ns.s.split('a') %}"), /steps/],
    sorting: [
      '{% for i in range(4000) %}{% set x = range(4000)|sort(reverse=true) %}{% endfor %}',
      /steps/,
    ],
    'printing a list of it': [
      `${grown(19)}{% set l = [ns.s] %}{% for i in range(4000) %}{{ l }}{% endfor %}`,
      /steps/,
    ],
    'many arguments': [
      '{% macro f() %}{{ varargs }}{% endmacro %}{% for i in range(4000) %}{{ ' +
        'f(*range(4000)) }}{% endfor %}',
      /steps/,
    ],
    'deep parentheses': [`{{ ${'('.repeat(30000)}1${')'.repeat(30000)} }}`, /deep/],
    'deep conditions': [`${'{% if 1 %}'.repeat(3000)}${'{% endif %}'.repeat(3000)}`, /deep/],
    'a sum of 30000': [`{{ 1${'+1'.repeat(30000)} }}`, /deep/],
  };
  for (const [name, [template, message]] of Object.entries(cases))
    test(name, async () => {
      const before = worked();
      await refuses(() => render(template), 'LIMIT', message);
      // it needs 2 s at most
      assert.ok(worked() - before < 15000);
    });

  test('it reaches nothing but its variables', async () => {
    for (const template of [
      "{{ ''.constructor.constructor('return 1')() }}",
      '{{ messages.constructor.constructor }}',
      '{{ raise_exception.constructor }}',
      '{{ range.__proto__ }}',
      '{{ messages[0].__proto__.x }}',
      '{{ process }}{{ globalThis }}{{ require }}',
      "{{ namespace.constructor('x') }}",
      '{{ self }}{{ _self }}{{ __class__ }}',
    ])
      try {
        assert.doesNotMatch(await render(template), /function|object|native/i, template);
      } catch (error) {
        assert.equal(error.name, 'ClearheadError', `${template}: ${error}`);
      }
  });
});
