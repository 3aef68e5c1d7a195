/** The graph of a plan with the status of every step at the shown moment. */
import { graphOf, type Item, layOut } from '@woof/documents/graph';
import type { Plan, State, StepAccount } from '@woof/net';
import { drawn, element } from './elements.ts';
import { signOf, wordOf } from './words.ts';

export interface GraphPicture {
  element: HTMLElement;
  show(state: State, steps: Record<string, StepAccount>, selected: string | undefined): void;
}

const COLUMN = 9;
const LAYER = 84;
const HEIGHT = 50;
/** More of them would be a smear. */
const MOST_STEPS = 400;
const WIDEST = 6000;

export function createGraphPicture(plan: Plan, onSelect: (step: string) => void): GraphPicture {
  const graph = graphOf(plan);
  const layout = graph.nodes.length > MOST_STEPS ? undefined : widening((width) => layOut(graph, width));
  if (layout === undefined) {
    const said = `${graph.nodes.length} steps: too many to draw. The table lists them.`;
    return { element: element('p', { class: 'none' }, said), show() {} };
  }
  const width = Math.max(...layout.layers.flat().map((item) => item.x + item.width)) * COLUMN + 4;
  const height = layout.layers.length * LAYER - (LAYER - HEIGHT) + 4;
  const top = new Map(
    layout.layers.flatMap((layer, i) => layer.map((item) => [item, i * LAYER + 2] as const)),
  );
  const lines = layout.links.flat().map(({ from, to }) => {
    const [x1, x2] = [middleOf(from), middleOf(to)];
    const y1 = top.get(from)! + (from.node ? HEIGHT : 0);
    const y2 = top.get(to)!;
    const bend = (y1 + y2) / 2;
    return drawn('path', { class: 'arc', d: `M${x1} ${y1}C${x1} ${bend} ${x2} ${bend} ${x2} ${y2}` });
  });
  const nodes = layout.layers
    .flat()
    .filter((item) => item.node !== undefined)
    .map((item) => nodeOf(item, top.get(item)!, onSelect));
  const picture = drawn(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': 'Steps of the run' },
    ...lines,
    ...nodes.map(({ group }) => group),
  );
  return {
    element: element(
      'div',
      { class: 'graph', tabindex: '0', role: 'region', 'aria-label': 'Graph' },
      picture,
    ),
    show(state, steps, selected) {
      for (const { id, group, sign, progress } of nodes) {
        const { status = 'pending', runs = 0 } = steps[id] ?? {};
        group.dataset.status = status;
        group.toggleAttribute('data-selected', id === selected);
        group.setAttribute('aria-label', `${id}: ${wordOf(status)}`);
        sign.textContent = signOf(status);
        progress.textContent = progressOf(state, id, runs);
      }
    },
  };
}

function nodeOf(item: Item, y: number, onSelect: (step: string) => void) {
  const { id, type } = item.node!;
  const x = item.x * COLUMN + 2;
  const width = item.width * COLUMN;
  const sign = drawn('text', { class: 'sign', x: x + 14, y: y + 21 });
  const progress = drawn('tspan', { class: 'progress' });
  const group = drawn(
    'g',
    { class: 'node', tabindex: 0, role: 'button' },
    drawn('rect', { x, y, width, height: HEIGHT, rx: 8 }),
    sign,
    drawn('text', { class: 'name', x: x + 28, y: y + 21 }, item.lines[0] ?? id),
    drawn('text', { class: 'type', x: x + 28, y: y + 39 }, `${type} `, progress),
  );
  group.addEventListener('click', () => onSelect(id));
  group.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onSelect(id);
  });
  return { id, group, sign, progress };
}

const middleOf = (item: Item): number => (item.x + item.width / 2) * COLUMN + 2;

/** The narrowest of a few widths that holds every layer. */
function widening<T>(lay: (width: number) => T | undefined): T | undefined {
  for (let width = 60; width <= WIDEST; width *= 1.5) {
    const laid = lay(Math.round(width));
    if (laid !== undefined) return laid;
  }
  return undefined;
}

function progressOf(state: State, step: string, runs: number): string {
  for (const run of state.runs.values()) {
    if (run.step !== step || run.ended) continue;
    const loop = state.loops.get(run.id);
    if (loop) return `${loop.succeeded + loop.failed}/${loop.total}`;
  }
  const { stats } = state.steps.get(step) ?? {};
  if (stats) return `${stats.succeeded}/${stats.total}`;
  return runs > 1 ? `${runs}×` : '';
}
