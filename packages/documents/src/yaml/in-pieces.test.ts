/** A long list is printed item by item: the result must be the same as printing all of it at once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { anyWorkflow } from '../workflow/fixtures/random-workflow.ts';
import { workflowShape } from '../workflow/keys.ts';
import { formatYaml } from './canonical.ts';
import { cutInPieces } from './in-pieces.ts';

const format = (text: string, fewestPieces: number) =>
  formatYaml(text, { shape: workflowShape, spaced: 'stages', fewestPieces });

function check(text: string): void {
  const whole = format(text, Infinity);
  expect(whole).toBeDefined();
  expect(format(text, 1)).toBe(whole);
  expect(format(whole!, 1)).toBe(whole);
}

/** With comments in unusual places, printing the whole drops blank lines that pieces keep. */
const ODD = `# top
name: w # its name
stages: # all of them
  # first
  - stage_id: a # a
    # its kind
    kind: noop
    # below a

  # above b
  # and more
  - stage_id: b
    commands:
      - program: make # fast
        # no args
  - stage_id: c
# of the edges
edges: []
# the end
`;

const TEXTS = {
  'keys out of order': `edges: []
stages:
  - kind: noop
    stage_id: a
  - deps: [a]
    stage_id: b
name: w
`,
  'comments above, behind and inside items': `# top
name: w # its name
stages:
  # first
  - stage_id: a # a
    # its kind
    kind: noop
  # above b
  # and more
  - stage_id: b
    commands:
      - program: make # fast
  - stage_id: c
# of the edges
edges: []
# the end
`,
  'no indent, and wide ones': `stages:
- stage_id: a
  kind: noop
# of b
- stage_id: b
name: w
`,
  'values that look like something else': `name: w
stages:
  - stage_id: "a: b"
    description: 'it''s # none'
    x-n: 1.0
    x-word: Items0_
    x-empty: ""
    env: {A: "{{ x }}", B: [1, 'two', three four]}
  - stage_id: $&
    description: a $1 b
`,
  'blank lines': `name: w

stages:

  - stage_id: a

    kind: noop


  - stage_id: b

edges: []
`,
};

describe('a list that is printed in pieces', () => {
  it.each(Object.entries(TEXTS))('%s', (_what, text) => {
    expect(cutInPieces(text, 'stages', 1)).toBeDefined();
    check(text);
  });

  it('keeps comments in unusual places, and does not change when printed again', () => {
    const once = format(ODD, 1)!;
    expect(once.match(/#.*/g)?.sort()).toEqual(ODD.match(/#.*/g)?.sort());
    expect(format(once, 1)).toBe(once);
  });

  it('is any list of stages', () => {
    fc.assert(
      fc.property(anyWorkflow, (workflow) => check(stringify(workflow))),
      { numRuns: 50 },
    );
  });

  it.each([
    ['a short one', 'stages:\n  - a\n'],
    ['one in brackets', `stages: [${'a, '.repeat(200)}a]\n`],
    ['one with an anchor', `stages:\n${'  - &x a\n'.repeat(1)}${'  - *x\n'.repeat(200)}`],
    ['no list', 'stages: 1\n'],
  ])('is not %s', (_what, text) => {
    expect(cutInPieces(text, 'stages')).toBeUndefined();
  });
});
