/** Lines of a document, of which one is meant. */
import { plainText } from './plain-text.ts';
import { ScrollBox } from './scroll-box.tsx';

export interface Frame {
  lines: string[];
  /** The number of the first of them. */
  from: number;
  line: number;
  /** 1-based, where something in the line is meant. */
  column?: number;
}

export function CodeFrame({ frame: { lines, from, line, column } }: { frame: Frame }) {
  return (
    <ScrollBox kind="rv-value rv-frame" label={`Line ${line} of the document`}>
      {lines.map((text, i) => (
        <span key={i} class={from + i === line ? 'rv-marked' : undefined}>
          <span class="rv-seq">{from + i}</span> {plainText(text)}
          {'\n'}
          {from + i === line && column !== undefined && `${' '.repeat(String(from + i).length + column)}^\n`}
        </span>
      ))}
    </ScrollBox>
  );
}
