/** How fast a large notebook is parsed: many small cells, tokens read, the header parsed. */
import { parseNotebook } from './parse.ts';

const CELLS = 20_000;
const ROUNDS = 9;

function largeNotebook(): string {
  const line = 'values = [x * factor for x in range(10)]  # a comment with `ticks` in it\n';
  const cell = (i: number) =>
    `\n\`\`\`cell id=cell${i} type=code deps=${i > 0 ? `cell${i - 1}` : ''} timeout=30 name="Cell ${i}"\n${line.repeat(20)}\`\`\`\n`;
  const cells = Array.from({ length: CELLS }, (_, i) => cell(i));
  return `%WOOFNB 1.0\nname: large\nlanguage: python\nexecution:\n  order: graph\n${cells.join('')}`;
}

export function measureParse(): { megabytesPerSecond: number } {
  // Through bytes and back: one flat string, as reading a file returns it.
  const text = new TextDecoder().decode(new TextEncoder().encode(largeNotebook()));
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    const { notebook } = parseNotebook(text);
    let count = notebook.header.name === 'large' ? 0 : 1;
    for (const cell of notebook.cells) count += cell.deps.length;
    const took = performance.now() - start;
    if (count !== CELLS - 1) throw new Error(`the notebook was not read: ${count}`);
    return took;
  });
  const median = times.sort((a, b) => a - b)[ROUNDS >> 1]!;
  return { megabytesPerSecond: text.length / 1e6 / (median / 1000) };
}
