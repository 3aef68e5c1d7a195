/** Changes to places in a text, all by offsets in the original; everything between them stays byte for byte. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Of two edits at one place, the first comes first; edits inside a replaced range are dropped with it. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, order) => ({ ...edit, order, inserts: edit.start === edit.end ? 0 : 1 }));
  ordered.sort((a, b) => a.start - b.start || a.inserts - b.inserts || b.end - a.end || a.order - b.order);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < from && end <= from) continue;
    if (start < from) throw new Error('two edits overlap');
    pieces.push(text.slice(from, start), replacement);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}
