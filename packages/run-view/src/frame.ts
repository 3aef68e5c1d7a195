/** The lines of a document around a given one. */
export interface Frame {
  lines: string[];
  /** The number of the first of them. */
  from: number;
  line: number;
  /** 1-based, if the frame points to a place in the line. */
  column?: number | undefined;
}

/** Where a run failed in its document, as `failurePlace` says it. */
export interface Place {
  step?: string | undefined;
  line: number;
  column?: number | undefined;
}

const AROUND = 4;

/** The lines around the failure; undefined if another step failed, or the failure has no place in the document. */
export function frameOf(text: string, place: Place | undefined, step: string | undefined): Frame | undefined {
  const lines = linesOfText(text);
  if (place === undefined || place.step !== step || place.line > lines.length) return undefined;
  const { line, column } = place;
  const from = Math.max(1, line - AROUND);
  const shown = lines.slice(from - 1, line + AROUND);
  return { lines: shown, from, line, column };
}

export const linesOfText = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);
