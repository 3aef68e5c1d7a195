import type { Plan } from '@woof/net';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../document.ts';

function read(text: string) {
  return readDocument(text, { kinds: [] });
}

function planOf(text: string): Plan {
  const { plan, diagnostics } = read(text);
  expect(diagnostics).toEqual([]);
  return plan!;
}

const arcsOf = (plan: Plan) =>
  plan.steps.flatMap((step) => step.next.arcs.map((arc) => `${step.name} → ${arc.step}`));

describe('the shapes of the first implementation', () => {
  const spec = {
    name: 'demo',
    stages: [
      { stage_id: 'a', kind: 'exec_block', config: { workdir: '/src', commands: [{ program: 'make' }] } },
      { stage_id: 'ok', kind: 'gate', config: {} },
      { stage_id: 'c', kind: 'noop', config: {} },
    ],
    edges: [
      { from: 'a', to: 'ok' },
      { from: 'ok', to: 'c' },
    ],
  };
  const plan = planOf(JSON.stringify(spec));

  test('give a plan that skips the dependents of a failure', () => {
    expect(plan).toMatchObject({ kind: 'workflow', name: 'demo', failure: 'skip', entry: ['a'] });
    expect(plan.steps.every((step) => step.join === 'all')).toBe(true);
  });

  test('run forwards: the stage that waits for nothing comes first', () => {
    expect(arcsOf(plan)).toEqual(['a → ok', 'ok → c']);
  });

  test('complete an exec block with its defaults', () => {
    expect(plan.steps[0]!.tasks).toEqual([
      {
        label: 'run',
        kind: 'exec',
        at: [1, 26],
        spec: {},
        input: {
          workdir: '/src',
          executor: { kind: 'local' },
          commands: [{ program: 'make', args: [], env: {}, allow_failure: false }],
          halt_on_error: true,
          allow_shell: false,
          env: {},
          sandbox: false,
          outputs: [],
          resumable: false,
          restart: 'stage',
        },
      },
    ]);
  });

  test('give a gate one task and a noop none', () => {
    expect(plan.steps[1]!.tasks).toMatchObject([{ label: 'gate', kind: 'gate', input: {} }]);
    expect(plan.steps[2]!.tasks).toEqual([]);
  });
});

describe('messages', () => {
  const noop = (id: string, more = '') => `  - {stage_id: ${id}, kind: noop${more}}\n`;
  const saying = (stages: string, head = 'name: w\n') => {
    const [first] = read(`${head}stages:\n${stages}`).diagnostics;
    return [first?.message, first?.hint].filter((each) => each !== undefined).join('; ');
  };

  test.each([
    [
      'a circle as a path',
      noop('a', ', deps: c') + noop('b', ', deps: a') + noop('c', ', deps: b'),
      'c → a → b → c',
    ],
    ['the stage that was meant', noop('build') + noop('b', ', deps: [biuld]'), 'did you mean "build"?'],
    ['the kind that was meant', '  - {stage_id: a, kind: gaet}\n', 'did you mean "gate"?'],
    ['the key that was meant', noop('a', ', dpes: []'), 'did you mean "deps"?'],
    [
      'an id that no expression can read',
      noop('unit-tests') + noop('b', ', deps: [unit-tests], if: unit-tests.status'),
      '"unit-tests" is not a name in an expression',
    ],
    ['the edge that is missing', noop('a') + noop('b', ', if: a.status'), 'add {from: a, to: b} to `edges`'],
    [
      'the combination that lacks a value',
      noop('a', ', matrix: {x: [1, 2], include: [{x: 1, y: 2}]}, description: "{{ matrix.y }}"'),
      'the combination x=2 has no "y"',
    ],
    [
      'what the policy will do',
      '  - {stage_id: a, commands: [{program: bash, args: [x.sh]}]}\n',
      'the stage will wait for approval',
    ],
  ])('name %s', (_what, stages, expected) => expect(saying(stages)).toContain(expected));

  test('name the key of the workload', () => {
    expect(saying(noop('a', ', if: fast'), 'name: w\nworkload: {fast: true}\n')).toContain(
      'write `workload.fast`',
    );
  });
});

test.each([
  ['needs: [a]', 'deps'],
  ['run: [x]', 'commands'],
])('a stage with %s: the hint says %s', (field, meant) => {
  const { diagnostics } = read(
    `name: x\nstages:\n  - {stage_id: a, kind: noop}\n  - {stage_id: b, ${field}}\n`,
  );
  expect(diagnostics.map(({ hint }) => hint)).toContain(`did you mean "${meant}"?`);
});
