/** Refuses tasks of the workbook that call each other in a cycle: none of them could ever finish. */
import { isTemplate } from '@woof/expr';
import { isNamedCall } from '@woof/net';
import { child, type Node, textOf } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { LabelledTask } from './normalise.ts';
import type { Reading } from './reading.ts';

interface Call {
  to: string;
  at: Node;
}

/** A task calls at most one other, so following calls until they repeat finds every cycle. */
export function refuseCircularBlocks(reading: Reading, blocks: readonly LabelledTask[]): void {
  const calls = new Map<string, Call>();
  for (const { label, body } of blocks) {
    const name = child(body, 'name');
    const to = isNamedCall({ kind: textOf(child(body, 'kind')) ?? '' }) ? textOf(name) : undefined;
    if (name && to !== undefined && !isTemplate(to) && !calls.has(label)) calls.set(label, { to, at: name });
  }
  const followed = new Set<string>();
  for (const first of calls.keys()) {
    const path: string[] = [];
    let label: string | undefined = first;
    for (; label !== undefined && !followed.has(label); label = calls.get(label)?.to) {
      followed.add(label);
      path.push(label);
    }
    const start = label === undefined ? -1 : path.indexOf(label);
    if (start === -1) continue;
    const circle = path.slice(start);
    const { at } = calls.get(circle[0]!)!;
    reading.report(problems.circularBlock(reading.span(at), [...circle, circle[0]!]));
  }
}
