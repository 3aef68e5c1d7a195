/** Where Woof deliberately differs from Jinja2, with the reason. The test checks that each is still a difference. */
import type { JinjaCase } from './run-jinja.ts';

export const differences: readonly (JinjaCase & { readonly reason: string })[] = [
  { kind: 'template', source: 'keep\n\n', reason: 'a text without tags is given back unchanged' },
  { kind: 'template', source: 'x{{ nosuch }}', reason: 'an undefined value that is used is an error' },
  {
    kind: 'template',
    source: '{% for x in nosuch %}{% endfor %}',
    reason: 'an undefined value that is used is an error',
  },
  {
    kind: 'template',
    source: '{% do xs.append(4) %}{{ xs }}',
    reason: 'values given to a template are never changed',
  },
  {
    kind: 'template',
    source: '{{ lipsum() is string }}',
    reason: 'random filler text has no place in a workflow',
  },
  {
    kind: 'expression',
    source: 'keyed.items',
    reason: 'own keys win over methods: results have keys such as "items"',
  },
  { kind: 'expression', source: 'd.items is defined', reason: 'a method that is not called is no value' },
  { kind: 'expression', source: "d|attr('a')", reason: 'the attributes of a dict are its keys' },
  {
    kind: 'expression',
    source: "xs|map('string')|length",
    reason: 'filters give lists instead of generators',
  },
  { kind: 'expression', source: 'nosuch|length', reason: 'an undefined value that is used is an error' },
  {
    kind: 'expression',
    source: 'nosuch < 1',
    reason: 'a comparison with an undefined value is false, not an error',
  },
  { kind: 'expression', source: '(-8) ** 0.5', reason: 'there are no complex numbers' },
  { kind: 'expression', source: "'abc'.encode()", reason: 'there are no bytes' },
  { kind: 'expression', source: '2 ** 20000 > 1', reason: 'an int has at most 4300 digits' },
  { kind: 'expression', source: "'%.200f' % 1", reason: 'a number is written with at most 100 decimals' },
];
