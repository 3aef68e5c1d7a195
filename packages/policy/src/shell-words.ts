/**
 * Finds the simple commands in a shell text: it parses enough of the grammar to see every program that the text names.
 *
 * Never throws. It returns what it cannot parse (an open quote, a computed name) unchanged: `$` or a backtick in a word
 * means that the shell computes it.
 */
export type Words = string[];

/** Words that precede a command but are not commands. */
const KEYWORDS = new Set(
  'if then elif else fi do done while until for case esac in select ! { } [[ ]] function coproc'.split(' '),
);
const DEEPEST = 20;

export function shellCommands(text: string, depth = 0): Words[] {
  if (depth > DEEPEST) return [['$']];
  return new Reader(text, depth).read();
}

class Reader {
  private readonly commands: Words[] = [];
  private words: Words = [];
  private word = '';
  private inWord = false;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  read(): Words[] {
    while (this.at < this.text.length) this.step(this.text[this.at]!);
    this.endCommand();
    return this.commands;
  }

  private step(char: string): void {
    const next = this.text[this.at + 1];
    if (char === '\\') this.take(next === '\n' ? '' : (next ?? ''), 2);
    else if (char === "'") this.single();
    else if (char === '"') this.double();
    else if (char === '$' && next === "'") this.ansi();
    else if ('$<>'.includes(char) && next === '(') this.inner(this.closing(this.at + 2), this.at + 2);
    else if (char === '`') this.inner(this.backtick(), this.at + 1);
    else if (char === '#' && !this.inWord) this.comment();
    else if (char === '<' || char === '>') this.redirection();
    else if (';&|\n()'.includes(char)) {
      this.endCommand();
      this.at += 1;
    } else if (/\s/.test(char)) {
      this.endWord();
      this.at += 1;
    } else this.take(char, 1);
  }

  private take(text: string, size: number): void {
    this.word += text;
    this.inWord = true;
    this.at += size;
  }

  private single(): void {
    const end = this.text.indexOf("'", this.at + 1);
    const stop = end < 0 ? this.text.length : end;
    this.take(this.text.slice(this.at + 1, stop), stop + 1 - this.at);
  }

  /** `$'\x72m'`: decodes the escapes, because they may hide a name. */
  private ansi(): void {
    let end = this.at + 2;
    while (end < this.text.length && this.text[end] !== "'") end += this.text[end] === '\\' ? 2 : 1;
    this.take(unescaped(this.text.slice(this.at + 2, end)), end + 1 - this.at);
  }

  private double(): void {
    this.take('', 1);
    while (this.at < this.text.length && this.text[this.at] !== '"') {
      const char = this.text[this.at]!;
      if (char === '\\') this.take(this.text[this.at + 1] ?? '', 2);
      else if (char === '$' && this.text[this.at + 1] === '(')
        this.inner(this.closing(this.at + 2), this.at + 2);
      else if (char === '`') this.inner(this.backtick(), this.at + 1);
      else this.take(char, 1);
    }
    this.at += 1;
  }

  /** A substitution: its commands count, and the word that contains it is computed. */
  private inner(end: number, from: number): void {
    this.commands.push(...shellCommands(this.text.slice(from, end), this.depth + 1));
    this.word += '$';
    this.inWord = true;
    this.at = end + 1;
  }

  private closing(from: number): number {
    let open = 1;
    for (let at = from; at < this.text.length; at += 1) {
      const char = this.text[at];
      if (char === '\\') at += 1;
      else if (char === "'") {
        const end = this.text.indexOf("'", at + 1);
        if (end < 0) return this.text.length;
        at = end;
      } else if (char === '(') open += 1;
      else if (char === ')') open -= 1;
      if (open === 0) return at;
    }
    return this.text.length;
  }

  private backtick(): number {
    for (let at = this.at + 1; at < this.text.length; at += 1) {
      if (this.text[at] === '\\') at += 1;
      else if (this.text[at] === '`') return at;
    }
    return this.text.length;
  }

  private comment(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  /** The file to which output is redirected is not an argument, and a number before the redirection is not a word. */
  private redirection(): void {
    if (/^\d+$/.test(this.word)) {
      this.word = '';
      this.inWord = false;
    }
    this.endWord();
    while (
      this.at < this.text.length &&
      /[<>&|\-\s]/.test(this.text[this.at]!) &&
      this.text[this.at] !== '\n'
    )
      this.at += 1;
    const before = this.words.length;
    while (this.at < this.text.length && !/[\s;&|()<>]/.test(this.text[this.at]!))
      this.step(this.text[this.at]!);
    this.endWord();
    this.words.length = before;
  }

  private endWord(): void {
    const { word, inWord } = this;
    this.word = '';
    this.inWord = false;
    // A group: a new command follows.
    if (word === '{') this.endCommand();
    else if (inWord) this.words.push(word);
  }

  private endCommand(): void {
    this.endWord();
    let from = 0;
    while (
      from < this.words.length &&
      (KEYWORDS.has(this.words[from]!) || /^\w+\+?=/.test(this.words[from]!))
    )
      from += 1;
    if (from < this.words.length) this.commands.push(this.words.slice(from));
    this.words = [];
  }
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|([0-7]{1,3})|(.))/gis,
    (_all, hex, unicode, octal, char) => {
      const code = hex ?? unicode;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code as string, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal as string, 8) & 255);
      return ESCAPES[char as string] ?? (char as string);
    },
  );
}
