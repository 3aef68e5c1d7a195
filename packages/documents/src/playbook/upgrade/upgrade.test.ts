/**
 * Laws over random playbooks of the older dialect, written in random styles: flow or block, deep or flat lists, and
 * comments anywhere. The expected result is computed a second time here, on values instead of text.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Document, isCollection, isScalar, parse, type Scalar, visit } from 'yaml';
import { commentsOf } from '../../yaml/settle.ts';
import { upgradePlaybook } from './upgrade.ts';

type Map = Record<string, unknown>;

const guard = fc.constantFrom(
  "{{ outcome.status == 'success' }}",
  "{{ outcome.status == 'error' and outcome.error.retryable }}",
  '{{ outcome.result.n > 3 }}',
  '{{ outcome.result\n   and true }}',
);
const directive = fc.record(
  {
    do: fc.constantFrom('continue', 'jump', 'break', 'fail'),
    to: fc.constant('a'),
    backoff: fc.constantFrom('fixed', 'linear'),
    set_iter: fc.constant({ page: '{{ iter.page + 1 }}', list: [1, { a: 'b # no comment' }] }),
    set_vars: fc.constant({ text: 'two\nlines\n' }),
    set_prev: fc.constantFrom(null, 'text', [1, 2]),
  },
  { requiredKeys: ['do'] },
);
const rule = fc
  .tuple(guard, directive, fc.boolean())
  .map(([expr, then, first]) => (first ? { expr, ...then } : { ...then, expr }));
const rules = fc
  .tuple(fc.array(rule, { maxLength: 3 }), fc.option(directive))
  .map(([all, other]) => [...all, ...(other ? [{ else: other }] : [])]);
const knobs = fc.record({ timeout: fc.nat(9), env: fc.constant({ A: 'b' }) }, { requiredKeys: [] });
const shuffled = <T extends object>(value: T) =>
  fc
    .shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length })
    .map((entries) => Object.fromEntries(entries) as Map);
const task = fc
  .record(
    { kind: fc.constant('noop'), result: fc.constantFrom('x', '{{ _prev }}'), spec: knobs, eval: rules },
    { requiredKeys: ['kind'] },
  )
  .chain(shuffled);
const arc = fc.record(
  { step: fc.constant('start'), when: guard, args: fc.constant({ a: 1 }) },
  { requiredKeys: ['step'] },
);
const step = fc
  .record(
    {
      step: fc.constant('start'),
      when: fc.constant('{{ workload.open }}'),
      spec: fc
        .tuple(knobs, fc.option(fc.constantFrom('inclusive', 'exclusive')))
        .map(([spec, mode]) => (mode ? { ...spec, next_mode: mode } : spec)),
      tool: fc
        .array(task, { minLength: 1, maxLength: 2 })
        .map((tasks) => tasks.map((each, i) => ({ [`t${i}`]: each }))),
      next: fc.array(arc, { minLength: 1, maxLength: 2 }),
    },
    { requiredKeys: ['step', 'tool'] },
  )
  .chain(shuffled);
const playbook = fc.array(step, { minLength: 1, maxLength: 3 }).map((workflow) => ({
  apiVersion: 'noetl.io/v2',
  kind: 'Playbook',
  workflow,
}));

interface Manner {
  flow: number[];
  comments: number[];
  indent: number;
  indentSeq: boolean;
}

const manner: fc.Arbitrary<Manner> = fc.record({
  flow: fc.array(fc.nat(60), { maxLength: 4 }),
  comments: fc.array(fc.nat(80), { maxLength: 6 }),
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
});

function write(value: unknown, { flow, comments, indent, indentSeq }: Manner): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  let collections = 0;
  let keys = 0;
  visit(document, {
    Node: (at, node) => {
      // Not above the steps: one line would contain the whole playbook.
      if (isCollection(node) && ++collections > 3 && flow.includes(collections)) node.flow = true;
      if (at === 'key' && isScalar(node) && ++keys > 3 && comments.includes(keys))
        (node as Scalar).commentBefore = ` note ${keys}`;
    },
  });
  return document.toString({ indent, indentSeq, lineWidth: 0, flowCollectionPadding: false });
}

function expected(document: Map): unknown {
  const workflow = (document.workflow as Map[]).map(upgradedStep);
  return { ...document, apiVersion: 'noetl.io/v10', workflow };
}

function upgradedStep({ when, spec, next, tool, ...rest }: Map): Map {
  const { next_mode: mode, ...kept } = (spec ?? {}) as Map;
  const rules = [{ when, then: { allow: true } }, { else: { then: { allow: false } } }];
  const made = { ...kept, ...(when === undefined ? {} : { policy: { admit: { rules } } }) };
  const router = { ...(mode ? { spec: { mode } } : {}), arcs: words(next) };
  const hadOther = spec !== undefined && mode === undefined;
  return {
    ...rest,
    ...(Object.keys(made).length > 0 || hadOther ? { spec: made } : {}),
    ...(next === undefined ? {} : { next: router }),
    tool: (tool as Map[]).map((each) =>
      Object.fromEntries(Object.entries(each).map(([label, one]) => [label, upgradedTask(one as Map)])),
    ),
  };
}

function upgradedTask({ eval: list, spec, ...rest }: Map): Map {
  const all = (list ?? []) as Map[];
  const made = all.map(upgradedRule);
  const closing = [
    { when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } },
    { else: { then: { do: 'continue' } } },
  ];
  const whole = all.some((each) => 'else' in each) ? made : [...made, ...closing];
  const policy = all.length > 0 ? { policy: { rules: whole } } : {};
  return { ...rest, ...(spec || all.length > 0 ? { spec: { ...(spec as Map), ...policy } } : {}) };
}

function upgradedRule({ expr, else: other, ...then }: Map): Map {
  const of = (map: Map) => ('backoff' in map && map.backoff === 'fixed' ? { ...map, backoff: 'none' } : map);
  return other ? { else: { then: of(other as Map) } } : { when: words(expr), then: of(then) };
}

function words(value: unknown): unknown {
  return value === undefined
    ? undefined
    : JSON.parse(JSON.stringify(value).replaceAll("== 'success'", "== 'ok'"));
}

const isOlder = (document: Map) =>
  (document.workflow as Map[]).some(
    ({ when, next, spec, tool }) =>
      when !== undefined ||
      next !== undefined ||
      (spec as Map | undefined)?.next_mode !== undefined ||
      (tool as Map[]).some((each) => Object.values(each).some((one) => 'eval' in (one as Map))),
  );

describe('upgrading any playbook of the older dialect', () => {
  test('keeps its meaning in v10, or says that it cannot; it keeps every comment, and is idempotent', () => {
    let refused = 0;
    let upgraded = 0;
    fc.assert(
      fc.property(playbook, manner, (document, how) => {
        const text = write(document, how);
        const result = upgradePlaybook(text);
        if (!isOlder(document)) {
          expect(result.text).toBe(text);
          return;
        }
        if (result.diagnostics.some(({ severity }) => severity === 'error')) {
          expect(result.diagnostics.map(({ code }) => code)).toContain('playbook/upgrade-text');
          refused += 1;
          return;
        }
        upgraded += 1;
        expect(parse(result.text!)).toEqual(expected(parse(text) as Map));
        expect(commentsOf(result.text!)).toBe(commentsOf(text));
        expect(upgradePlaybook(result.text!)).toMatchObject({ text: result.text, isOlder: false });
      }),
      { numRuns: 150 },
    );
    // Only unusual ways of writing are refused.
    expect(refused / upgraded).toBeLessThan(0.3);
  });

  test('changes nothing but what it must: all other lines stay as they are', () => {
    const odd =
      'apiVersion:   noetl.io/v2\nkind: "Playbook"   # why\n\n\nworkflow:\n  - step:   start\n    when:   "{{ true }}"\n    tool: [ {a: { kind:   noop } } ]\n';
    const { text } = upgradePlaybook(odd);
    expect(text).toContain('kind: "Playbook"   # why\n\n\nworkflow:\n  - step:   start\n');
    expect(text).toContain('            - when:   "{{ true }}"\n');
    expect(text).toContain('    tool: [ {a: { kind:   noop } } ]\n');
  });

  test('reports a status that is passed on, whether it is before or after an older construct', () => {
    const older = `    - a: {kind: noop, spec: {policy: {rules: [{when: "{{ outcome.status == 'success' }}", then: {do: continue}}]}}}\n`;
    const passed = '    - b: {kind: noop, result: "{{ outcome.status }}"}\n';
    const codes = [passed + older, older + passed].map((tasks) =>
      upgradePlaybook(`workflow:\n  - step: start\n    tool:\n${tasks}`).diagnostics.map(({ code }) => code),
    );
    expect(codes).toEqual([['playbook/upgrade-status'], ['playbook/upgrade-status']]);
  });

  test('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(400), (noise, at) => {
        const text = write(
          {
            workflow: [
              { step: 'start', when: 'x', tool: [{ a: { kind: 'noop', eval: [{ else: { do: 'fail' } }] } }] },
            ],
          },
          { flow: [], comments: [], indent: 2, indentSeq: true },
        );
        upgradePlaybook(text.slice(0, at) + noise + text.slice(at));
      }),
      { numRuns: 200 },
    );
  });
});
