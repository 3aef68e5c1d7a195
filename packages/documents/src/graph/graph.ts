/** The steps of a plan and the arcs between them, in the form that a picture needs. */
import type { Plan } from '@woof/net';
import { typeOfStep } from './picture.ts';

export interface Graph {
  nodes: { id: string; type: string }[];
  edges: { from: string; to: string; label?: string }[];
  /** Topological as far as possible: back edges do not count; ties are broken by file order. */
  order: string[];
}

export function graphOf(plan: Plan): Graph {
  const nodes = plan.steps.map((step) => ({ id: step.name, type: typeOfStep(step, plan.kind) }));
  const edges = plan.steps.flatMap((step) =>
    step.next.arcs.map((arc) => ({ from: step.name, to: arc.step, ...labelOf(arc.when) })),
  );
  const ids = nodes.map((node) => node.id);
  const back = backEdges(plan.entry, ids, edges);
  return {
    nodes,
    edges,
    order: topological(
      ids,
      edges.filter((_, i) => !back.has(i)),
    ),
  };
}

function labelOf(when: string | undefined): { label?: string } {
  if (when === undefined) return {};
  const lone = /^\s*\{\{-?((?:(?!\}\}).)*?)-?\}\}\s*$/s.exec(when);
  return { label: (lone?.[1] ?? when).trim().replaceAll(/\s+/g, ' ') };
}

type Ends = { from: string; to: string };

function outgoing(edges: readonly Ends[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  edges.forEach(({ from }, i) => {
    const of = found.get(from);
    if (of) of.push(i);
    else found.set(from, [i]);
  });
  return found;
}

/** Indices of the edges that close a cycle, in the order in which a walk from the entry finds them. */
function backEdges(entry: readonly string[], ids: readonly string[], edges: readonly Ends[]): Set<number> {
  const out = outgoing(edges);
  const back = new Set<number>();
  const state = new Map<string, 'open' | 'done'>();
  for (const root of [...entry, ...ids]) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    const stack = [{ id: root, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.id)?.[top.next++];
      if (edge === undefined) {
        state.set(top.id, 'done');
        stack.pop();
        continue;
      }
      const to = edges[edge]!.to;
      if (state.get(to) === 'open') back.add(edge);
      else if (!state.has(to)) {
        state.set(to, 'open');
        stack.push({ id: to, next: 0 });
      }
    }
  }
  return back;
}

export function topological(ids: readonly string[], edges: readonly Ends[]): string[] {
  const out = outgoing(edges);
  const index = new Map(ids.map((id, i) => [id, i]));
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const ready = new IndexQueue(ids.flatMap((id, i) => (waiting.get(id) === 0 ? [i] : [])));
  const order: string[] = [];
  for (let next = ready.take(); next !== undefined; next = ready.take()) {
    const id = ids[next]!;
    order.push(id);
    for (const edge of out.get(id) ?? []) {
      const { to } = edges[edge]!;
      const left = waiting.get(to)! - 1;
      waiting.set(to, left);
      if (left === 0) ready.add(index.get(to)!);
    }
  }
  return order;
}

/** Returns the smallest number first; a binary heap, so that a plan of many thousand steps stays fast. */
class IndexQueue {
  readonly #heap: number[] = [];

  constructor(values: readonly number[]) {
    for (const value of values) this.add(value);
  }

  add(value: number): void {
    const heap = this.#heap;
    let at = heap.push(value) - 1;
    for (let up = (at - 1) >> 1; at > 0 && heap[up]! > heap[at]!; up = (at - 1) >> 1) at = swap(heap, at, up);
  }

  take(): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    let at = 0;
    for (let down = this.#smallerChild(at); down !== undefined; down = this.#smallerChild(at))
      at = swap(heap, at, down);
    return first;
  }

  #smallerChild(at: number): number | undefined {
    const heap = this.#heap;
    const left = 2 * at + 1;
    const child = left + 1 < heap.length && heap[left + 1]! < heap[left]! ? left + 1 : left;
    return child < heap.length && heap[child]! < heap[at]! ? child : undefined;
  }
}

function swap(heap: number[], a: number, b: number): number {
  [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  return b;
}
