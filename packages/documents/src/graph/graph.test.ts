import { describe, expect, test } from 'vitest';
import { toolSchemas } from '../fixtures/tool-schemas.ts';
import { drawDot, drawMermaid, drawTerminal, type Graph, graphOf, readDocument } from '../index.ts';

/** `steps` as `name: target target`, in file order. */
function graph(...steps: string[]): Graph {
  const parsed = steps.map((step) => step.split(':').map((part) => part.trim()));
  const workflow = parsed.map(([name, targets]) => ({
    step: name,
    tool: { kind: 'noop' },
    next: {
      arcs: targets!
        .split(' ')
        .filter(Boolean)
        .map((to) => ({ step: to })),
    },
  }));
  const root = { apiVersion: 'noetl.io/v10', kind: 'Playbook', metadata: { name: 'g' }, workflow };
  return graphOf(readDocument(JSON.stringify(root), { kinds: toolSchemas }).plan!);
}

const named = (...ids: string[]): Graph => ({
  nodes: ids.map((id) => ({ id, type: 'noop' })),
  edges: ids.slice(1).map((id, i) => ({ from: ids[i]!, to: id, label: id })),
  order: ids,
});

describe('graphOf', () => {
  test('types nodes by loop, tools or routing, and labels edges with guards', () => {
    const text = `{apiVersion: noetl.io/v10, kind: Playbook, metadata: {name: g}, workflow: [
      {step: start, next: {arcs: [{step: a, when: "{{  x > 1  }}"}, {step: b, when: "{{ x }} {{ y }}"}]}},
      {step: a, loop: {in: [1], iterator: i}, tool: {kind: noop}},
      {step: b, tool: [{kind: noop}, {kind: python, code: x}, {kind: noop}]}]}`;
    const { nodes, edges } = graphOf(readDocument(text, { kinds: toolSchemas }).plan!);
    expect(nodes).toEqual([
      { id: 'start', type: 'route' },
      { id: 'a', type: 'loop' },
      { id: 'b', type: 'noop, python' },
    ]);
    expect(edges).toEqual([
      { from: 'start', to: 'a', label: 'x > 1' },
      { from: 'start', to: 'b', label: '{{ x }} {{ y }}' },
    ]);
  });

  test.each([
    [['start: a b', 'a: end', 'b: end', 'end:'], 'start a b end'],
    [['end:', 'b: end', 'a: b', 'start: a'], 'start a b end'],
    [['start: a', 'end:', 'a: b', 'b: a end'], 'start a b end'],
    [['start: start'], 'start'],
    [['start: a', 'island: a', 'a:'], 'start island a'],
  ])('orders %j', (steps, order) => {
    expect(graph(...steps).order.join(' ')).toBe(order);
  });

  test('orders a long chain and a long cycle without exhausting the stack', () => {
    const steps = Array.from(
      { length: 5000 },
      (_, i) => `${i === 0 ? 'start' : `s${i}`}: ${i === 4999 ? 'start' : `s${i + 1}`}`,
    );
    expect(graph(...steps).order.at(-1)).toBe('s4999');
  });
});

describe('drawings', () => {
  test('Mermaid keeps hostile names inside their quotes', () => {
    const drawing = drawMermaid(named('start', '"]; click n0 "javascript:x" %% `<b>` #quot;\n'));
    expect(drawing.split('\n')).toHaveLength(5);
    expect(drawing.split('\n')[2]).toBe(
      '  n1["#34;]#59; click n0 #34;javascript:x#34; #37;#37; #96;#60;b#62;#96; #35;quot#59;#10;<br/>noop"]',
    );
    expect(drawing).toContain('n0 -->|"');
  });

  test('DOT keeps hostile names inside their quotes', () => {
    const drawing = drawDot(named('start', '"]; x [label="\\N\\"\n'));
    expect(drawing).toContain('n1 [label="\\"]; x [label=\\"\\\\N\\\\\\"\\n\\nnoop", shape=box];');
    expect(drawing).toContain('n0 -> n1 [label=');
  });

  test('the terminal shows branches, joins and back edges', () => {
    const drawing = drawTerminal(graph('start: a b end', 'a: join', 'b: b join', 'join: start end', 'end:'), {
      width: 80,
      color: false,
    });
    expect(drawing).toBe(`         ┌───────┐
         │ start │
         │ noop  │
         └───┬───┘
    ┌────────┴─┬──────┐
    ▼          ▼      │
┌──────┐   ┌──────┐   │
│ a    │   │ b    │   │
│ noop │   │ noop │   │
└───┬──┘   │ ↺ b  │   │
    │      └───┬──┘   │
    └─────┐    │      │
          ├────┘      │
          ▼           │
     ┌─────────┐      │
     │ join    │      │
     │ noop    │      │
     │ ↺ start │      │
     └────┬────┘      │
          └─────┐     │
                ├─────┘
                ▼
            ┌──────┐
            │ end  │
            │ noop │
            └──────┘
`);
  });

  test('the terminal falls back to a list if it is too narrow', () => {
    expect(drawTerminal(graph('start: a b', 'a: ', 'b:'), { width: 12, color: false })).toBe(
      'start (noop)\n  → a\n  → b\na (noop)\nb (noop)\n',
    );
  });

  test('nothing from a document controls the terminal', () => {
    const hostile = named('start', '\u001b[31mred\nnext\u202e');
    for (const width of [80, 10]) {
      const drawing = drawTerminal(hostile, { width, color: false });
      for (const steering of ['\u001b', '\u202e']) expect(drawing).not.toContain(steering);
    }
  });

  test('every line of a drawing fits', () => {
    const wide = graph('start: a b c d', 'a: x', 'b: x', 'c: y', 'd: y start', 'x: y', 'y:');
    const lines = drawTerminal(wide, { width: 50, color: false }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
  });
});
