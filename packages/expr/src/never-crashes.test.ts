/** Whatever the source, compiling returns a template or errors, and running it gives a value or a TemplateError. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { context } from './differential/context.ts';
import { expressions } from './differential/expressions.ts';
import { templates } from './differential/templates.ts';
import { compile, compileExpression, scopeOf, TemplateError } from './index.ts';

const scope = scopeOf(context);
const host = { now: () => 0, fuel: 20_000 };
const before = JSON.stringify(context);

function survives(source: string): void {
  for (const { template, errors } of [compile(source), compileExpression(source)]) {
    if (!template) {
      expect(errors[0]).toBeInstanceOf(TemplateError);
      continue;
    }
    for (const method of ['evaluate', 'render', 'test'] as const) {
      try {
        template[method](scope, host);
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
      }
    }
  }
}

const seeds = [...templates, ...expressions.map((source) => `{{ ${source} }}`)];
const pieces = [
  '{{',
  '}}',
  '{%',
  '%}',
  '(',
  ')',
  '[',
  ']',
  '|',
  '.',
  "'",
  '~',
  '**',
  ' if ',
  ' else ',
  ' is ',
  'for x in xs',
  '10**9',
  '-',
  '%',
  ':',
  ',',
  '\\',
  '😀',
  '\ud800',
  '__proto__',
];

it('on random text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), survives), { numRuns: 1000 });
});

it('on random pieces of templates', () => {
  const source = fc.array(
    fc.oneof(fc.constantFrom(...pieces), fc.constantFrom('n', 'xs', 'd', 'name', '1', ' ')),
    { maxLength: 25 },
  );
  fc.assert(
    fc.property(source, (parts) => survives(`{{ ${parts.join('')}`)),
    { numRuns: 1500 },
  );
});

it('on mutated templates', () => {
  const mutation = fc.record({
    source: fc.constantFrom(...seeds),
    at: fc.nat(200),
    cut: fc.nat(4),
    put: fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(...expressions)),
  });
  fc.assert(
    fc.property(mutation, ({ source, at, cut, put }) => {
      const place = at % (source.length + 1);
      survives(source.slice(0, place) + put + source.slice(place + cut));
    }),
    { numRuns: 3000 },
  );
  expect(JSON.stringify(context)).toBe(before);
});
