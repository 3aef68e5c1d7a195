/** `woof run` on a real terminal: narrow, usual and wide. */
import { expect, test } from 'vitest';
import { type Screen, screenOf } from './screen.ts';
import { playbook, temporaryFolder } from './woof.ts';

const ROWS = 24;
const WIDE = `喰い倒れ_${'一二三四五六七八九十'.repeat(4)}`;
const waits = Array.from({ length: 30 }, (_, at) => `wait_${at}`);

/** More steps at a time than the screen has rows, a loop of 10,000, a step that fires 40 times, output of all widths. */
const many = playbook(`- step: start
  tool: {kind: noop}
  next:
    spec: {mode: inclusive}
    arcs: [${[WIDE, 'prints', 'again', ...waits].map((step) => `{step: ${step}}`).join(', ')}]
- step: ${WIDE}
  loop: {in: "{{ range(10000) | list }}", iterator: i, spec: {mode: parallel, max_in_flight: 100}}
  tool: {kind: noop, result: 1}
- step: prints
  tool:
    kind: python
    code: |
      print("\\t".join("abcdefghijklmnopqrstuvwxyz" * 2))
      print("✅⭐⚡🚀" * 60)
      print("漢字" * 120)
- step: again
  tool: {kind: wait, seconds: 0.02}
  set_ctx: {n: "{{ (ctx.n | default(0)) + 1 }}"}
  next: {arcs: [{step: again, when: "{{ ctx.n < 40 }}"}]}
${waits.map((step) => `- step: ${step}\n  tool: {kind: wait, seconds: 0.5}\n`).join('')}`);

const texts = ({ lines }: Screen) => lines.map(({ text }) => text);

test.each([40, 80, 200])(
  '%i columns: no line wraps, nothing that is redrawn scrolls off',
  async (columns) => {
    const cwd = temporaryFolder({ 'many.yaml': many });
    const screen = await screenOf(['run many.yaml', 'runs', 'help show'], columns, ROWS, cwd);
    const lines = texts(screen);
    expect(lines.join('\n')).toMatch(/succeeded in/);
    expect(screen.lines.filter(({ isWrapped }) => isWrapped)).toEqual([]);
    expect(lines.filter((line) => line.includes('▶'))).toEqual([]);
    expect(lines.filter((line) => /\d{8}-\d{6}-\w{8} .*\btest$/.test(line))).toHaveLength(1);
    for (const step of ['start', 'prints', ...waits])
      expect([step, lines.filter((line) => line.startsWith(`✓ ${step} `)).length]).toEqual([step, 1]);
    expect(lines.filter((line) => line.startsWith('✓ 喰い倒れ'))).toHaveLength(1);
    // Its first end, if it was shown separately, and its last.
    const again = lines.filter((line) => line.startsWith('✓ again'));
    expect([again.length <= 2, again.at(-1)]).toEqual([true, expect.stringContaining('run 40')]);
    expect(lines.filter((line) => line.startsWith('  prints | '))).toHaveLength(3);
    // It clears neither the whole screen nor what was there before.
    for (const code of ['[2J', '[3J', '[H', '[1;1H', 'c'])
      expect(screen.bytes).not.toContain(`\u001b${code}`);
    expect(screen.bytes).toContain('\u001b[32m✓');
  },
);

test('a stage workflow ends with its bundles, one per line', async () => {
  const text =
    'name: w\nstages:\n  - {stage_id: a, commands: [{program: ls}]}\n  - {stage_id: b, deps: [a], commands: [{program: ls}]}\n';
  const screen = await screenOf(['run w.yaml'], 80, ROWS, temporaryFolder({ 'w.yaml': text }));
  expect(texts(screen).slice(-2)).toEqual([
    expect.stringMatching(/^bundle {2}\.woof\/runs\/\S+\/a\/1$/),
    expect.stringMatching(/^bundle {2}\.woof\/runs\/\S+\/b\/1$/),
  ]);
});

test('a loop of 10,000 stays on one screen, its result included', async () => {
  const loop =
    '- step: start\n  loop: {in: "{{ range(10000) | list }}", iterator: i}\n  tool: {kind: noop, result: 1}\n';
  const screen = await screenOf(['run a.yaml'], 80, ROWS, temporaryFolder({ 'a.yaml': playbook(loop) }));
  expect(screen.lines.filter(({ isOff }) => isOff)).toEqual([]);
  expect(texts(screen).at(-1)).toMatch(/the full result: woof result/);
});
