/** What a test file makes outside of its tests is undone when the file is over. Files share a process, and so this list. */
const left: (() => unknown)[] = [];

export function afterFile(undo: () => unknown): void {
  left.push(undo);
}

export async function undoAll(): Promise<void> {
  for (const undo of left.splice(0).reverse()) await undo();
}
