/** Cycles of a graph as paths that end where they start, found without recursion; the first few are enough to fix. */
const MAX_CYCLES = 20;

export function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  for (const root of targets.keys()) {
    if (!state.has(root)) walk(root, targets, state, cycles);
  }
  return cycles;
}

function walk(
  root: string,
  targets: ReadonlyMap<string, readonly string[]>,
  state: Map<string, 'open' | 'done'>,
  cycles: string[][],
): void {
  const trail = [{ id: root, next: 0 }];
  state.set(root, 'open');
  for (let top = trail.at(-1); top; top = trail.at(-1)) {
    const to = targets.get(top.id)?.[top.next++];
    if (to === undefined) {
      state.set(top.id, 'done');
      trail.pop();
    } else if (state.get(to) === 'open') {
      if (cycles.length >= MAX_CYCLES) continue;
      const from = trail.findIndex(({ id }) => id === to);
      cycles.push([...trail.slice(from).map(({ id }) => id), to]);
    } else if (!state.has(to) && targets.has(to)) {
      state.set(to, 'open');
      trail.push({ id: to, next: 0 });
    }
  }
}
