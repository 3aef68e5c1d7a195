/** A line of task output, in pieces of one colour each. Nothing in them controls the page. */
import { plainText } from './plain-text.ts';

export interface LogPiece {
  /** Classes of `logs.css`. */
  kind: string;
  text: string;
}

/** Sequences that control terminals: `ESC [ parameters letter`, and `ESC ] text` up to its end. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const SEQUENCE = /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const DECORATIONS: Record<number, string> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  9: 'strikethrough',
};
/** The codes that each code ends. */
const ENDS: Record<number, readonly number[]> = { 22: [1, 2], 23: [3], 24: [4], 29: [9] };

export function logPieces(line: string): LogPiece[] {
  const style = new Style();
  const pieces: LogPiece[] = [];
  let from = 0;
  const take = (to: number) => {
    if (to > from) pieces.push({ kind: style.kind, text: plainText(line.slice(from, to)) });
  };
  for (const { 0: whole, 1: codes, 2: letter, index } of line.matchAll(SEQUENCE)) {
    take(index);
    from = index + whole.length;
    if (letter === 'm') style.obey(groupsOf(codes ?? ''));
  }
  take(line.length);
  return pieces;
}

class Style {
  #ink = '';
  #ground = '';
  readonly #decorations = new Set<number>();

  get kind(): string {
    const decorations = [...this.#decorations].map((code) => DECORATIONS[code]);
    return [this.#ink, this.#ground && `${this.#ground}-bg`, ...decorations].filter(Boolean).join(' ');
  }

  obey(groups: number[][]): void {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      const [code = 0, ...own] = group;
      const ended = code === 4 && own[0] === 0 ? [4] : ENDS[code];
      if (code === 0) this.#reset();
      else if (ended) this.#end(ended);
      else if (DECORATIONS[code]) this.#decorations.add(code);
      else this.#paint(code, NAMING.has(code) ? named(own.length > 0 ? own : following(groups)) : '');
    }
  }

  #end(decorations: readonly number[]): void {
    for (const code of decorations) this.#decorations.delete(code);
  }

  #reset(): void {
    this.#ink = this.#ground = '';
    this.#decorations.clear();
  }

  /**
   * 30 to 39 and 90 to 97 are text colours, and 10 more is the background. After 8, the following codes name the
   * colour.
   */
  #paint(code: number, other: string): void {
    const tens = Math.floor(code / 10);
    const n = code % 10;
    const colour = n < 8 ? colourOf(n) : other;
    if (tens === 3 || tens === 9) this.#ink = colour;
    if (tens === 4 || tens === 10) this.#ground = colour;
  }
}

/** Colours of the text, of its background and of its underline, which is not shown. */
const NAMING: ReadonlySet<number> = new Set([38, 48, 58]);

/** Semicolons separate codes. Colons keep a code and what belongs to it together: `38:2::255:0:0`, `4:3`. */
const groupsOf = (codes: string): number[][] => codes.split(';').map((group) => group.split(':').map(Number));

/** Without colons, the codes that name a colour follow as separate codes. */
const following = (groups: number[][]): number[] => groups.splice(0, groups[0]?.[0] === 5 ? 2 : 4).flat();

/** `5;N`: a colour of the table, of which pages have the first 16. `2;R;G;B`: any colour, and pages have none of them. */
function named([kind, n = 16]: number[]): string {
  return kind === 5 && n < 16 ? colourOf(n) : '';
}

/** The second eight are brighter, and pages show them like the first: each is already as bright as its theme allows. */
const colourOf = (n: number): string => `ansi-${COLOURS[n % 8]}`;
