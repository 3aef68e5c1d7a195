import { readFileSync } from 'node:fs';
import { EVENTS } from '@woof/net';
import { expect, it } from 'vitest';
import { EVENT_FIELDS, strayFields } from './event-fields.ts';

const page = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([a-z_.]+)` \| .* \| (.*) \|$/gm)].map(([, name, data]) => ({
  name: name!,
  fields: new Set([...data!.matchAll(/`(\w+)`/g)].map(([, field]) => field)),
}));
const documented = rows.filter(({ name }) => Object.hasOwn(EVENTS, name));

it('the docs name every event once', () => {
  expect(documented.map(({ name }) => name).sort()).toEqual(Object.keys(EVENTS).sort());
});

it.each(documented)('the docs name every field of $name', ({ name, fields }) => {
  const known = Object.keys(EVENT_FIELDS[name as keyof typeof EVENT_FIELDS]);
  expect(known.filter((field) => !fields.has(field))).toEqual([]);
});

it('an event with a stray or a missing field is reported', () => {
  expect(strayFields({ name: 'step.done', data: { result: 1 } })).toEqual([]);
  expect(strayFields({ name: 'step.done', data: { text: 1 } as never })).toEqual([
    'step.done has text',
    'step.done lacks result',
  ]);
});
