/** A notebook as it was written: pieces that, concatenated, are its text. */
import { Source } from '../yaml/source.ts';
import type { Cell } from './cell.ts';
import { Header } from './header.ts';

export interface Magic {
  start: number;
  end: number;
  /** Absent if the text after `%WOOFNB` is not a version. */
  version?: { major: number; minor: number };
}

interface NotebookText {
  /** Byte order mark, blank lines and the magic line. */
  preamble: string;
  /** The YAML of the header, including the blank lines after it. */
  headerText: string;
  cells: readonly Cell[];
  /** The text after the last cell, or after the header if there are no cells. */
  tail: string;
}

export class Notebook implements NotebookText {
  readonly preamble: string;
  readonly headerText: string;
  readonly cells: readonly Cell[];
  readonly tail: string;
  #header: Header | undefined;
  #source: Source | undefined;
  #byId: Map<string, Cell> | undefined;

  constructor(
    text: NotebookText,
    readonly magic: Magic | undefined,
  ) {
    this.preamble = text.preamble;
    this.headerText = text.headerText;
    this.cells = text.cells;
    this.tail = text.tail;
  }

  /** Parsed once, on first access. */
  get header(): Header {
    const { preamble } = this;
    this.#header ??= new Header(this.headerText, preamble.length, preamble.split('\n').length);
    return this.#header;
  }

  /** For positions; created once, on first access. */
  get source(): Source {
    this.#source ??= new Source(printNotebook(this));
    return this.#source;
  }

  /** Of several cells with the same id, the first. */
  cell(id: string): Cell | undefined {
    this.#byId ??= new Map(this.cells.toReversed().map((cell) => [cell.id, cell]));
    return this.#byId.get(id);
  }
}

export function printNotebook(notebook: Notebook): string {
  const cells = notebook.cells.map((cell) => cell.before + cell.opener + cell.bodyText + cell.closer);
  return notebook.preamble + notebook.headerText + cells.join('') + notebook.tail;
}
