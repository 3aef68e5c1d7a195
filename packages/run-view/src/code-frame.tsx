/** Lines of a document, with one of them highlighted. */
import type { Frame } from './frame.ts';
import { plainText } from './plain-text.ts';
import { ScrollBox } from './scroll-box.tsx';

/** All numbers are as wide as the last one, so that the lines keep their columns. */
export function CodeFrame({ frame: { lines, from, line, column } }: { frame: Frame }) {
  const width = String(from + lines.length - 1).length;
  return (
    <ScrollBox kind="rv-value rv-code" label={`Line ${line} of the document`}>
      {lines.map((text, i) => {
        const isMeant = from + i === line;
        return (
          <div key={i} class={isMeant ? 'rv-marked' : undefined}>
            <span class="rv-seq">{String(from + i).padStart(width)}</span> {plainText(text)}
            {isMeant && column !== undefined && `\n${' '.repeat(width + column)}^`}
          </div>
        );
      })}
    </ScrollBox>
  );
}
