/**
 * The simple commands in a shell's text: enough of its grammar to see which programs it names, where ever they stand.
 *
 * Never throws. What it cannot read (an open quote, a computed name) it gives as it stands: words with `$` or a
 * backtick in them say that the shell makes them.
 */
export type Words = string[];

/** Words that stand before a command and are none. */
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

  /** `$'\x72m'`: its escapes are read, since a name may hide in them. */
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

  /** A substitution: its commands count, and the word around it is a computed one. */
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

  /** The file that output goes to is no argument; a number before it is no word. */
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
    // A group: what follows is a command of its own.
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
