/** The documents that the lines run, as a newcomer would write them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { playbook, root } from '../cli/woof.ts';

export const examplePath = (name: string) => join(root, 'examples', name);
export const example = (name: string) => readFileSync(examplePath(name), 'utf8');

const ROWS = 5000;

/** Its result is some 200 KB, so the log has only a reference to it. */
export const LARGE = playbook(
  `- step: start
  tool: {kind: noop, result: {n: 10, rows: "{{ range(${ROWS}) | map('string') | map('center', 40) | list }}"}}
  next: {arcs: [{step: large, when: "{{ start.n > 5 and start.rows | length == ${ROWS} }}"}, {step: small}]}
- {step: large, tool: {kind: noop, result: "{{ start.rows }}"}}
- {step: small, tool: {kind: noop, result: the guard misread a large result}}
`,
);

/** Jinja's `center` puts the odd space to the right of an even number of characters. */
export const LARGE_RESULT = Array.from({ length: ROWS }, (_, index) => {
  const text = String(index);
  return text.padStart(text.length + Math.floor((40 - text.length) / 2)).padEnd(40);
});

/** Runs for a second, in which it is killed. */
export const SLOW = playbook(
  `- {step: start, tool: {kind: noop}, next: {arcs: [{step: middle}]}}
- {step: middle, tool: {kind: wait, seconds: 1}, next: {arcs: [{step: end}]}}
- {step: end, tool: {kind: noop, result: done}}
`,
);
