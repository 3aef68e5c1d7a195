/**
 * The names that a Python cell assigns or imports before its text mentions them: nothing in the cell reads what they held
 * before.
 *
 * A simple statement at the margin is certain to run. What a block assigns, or the target of a `for`, is certain only
 * inside that block: a mention after the block may read what the name held before. Brackets may span several lines.
 * Reading ends at the first line whose structure is not certain, such as one that a backslash continues; all words after
 * it are mentions.
 */
import { documentationOf, importAt } from './leading-imports.ts';
import { pieceEnd } from './python-pieces.ts';
import { wordsRead } from './words-read.ts';

export interface AssignedFirst {
  names: ReadonlySet<string>;
  /** Those of the names that keep what they held if the cell runs no block that assigns them. */
  inBlocks: ReadonlySet<string>;
  /** The modules that it imports before its text mentions their last name. */
  modules: ReadonlySet<string>;
  /** The text without the import statements at the margin: an import reads no name. */
  rest: string;
}

type WordsIn = (text: string) => readonly string[];

const NAME = '[A-Za-z_]\\w*';
const ASSIGNMENT = new RegExp(`^(${NAME}(?:[ \\t]*,[ \\t]*${NAME})*)[ \\t]*=(?!=)([\\s\\S]*)$`);
const EMPTY = /(?:[ \t]*(?:#[^\n]*)?\n)*/y;
const INDENT = / */y;
const HEADER = /^(?:for|while|if|elif|else|try|except|finally|with|def|class)\b/;
/** The targets and the rest of a `for`. */
const FOR = /^for\b([\w\s,()*]*?)\bin\b([\s\S]*)$/;
/** The name of a function and its signature, which Python reads before it assigns the name. */
const FUNCTION = /^def\s+(\w+)([\s\S]*)$/;
const DEFAULT = /=[ \t]*(?:'[^'\\\n]*'|"[^"\\\n]*"|-?[\d.]+|None|True|False)(?![\w.])/g;
/** Parameters whose defaults read no name. */
const PARAMETERS = new RegExp(`^\\((?:[\\w\\s,*]|${DEFAULT.source})*\\)\\s*$`);
/** What a block may do to names beyond assigning them; `except` deletes the name of its exception. */
const UNCERTAIN = /\b(?:del|global|nonlocal)\b|^except\b/;

export function assignedFirst(text: string, wordsIn: WordsIn): AssignedFirst {
  const names = new Names(wordsIn);
  const modules = new Set<string>();
  let rest = documentationOf(text);
  let at = rest.length;
  while (at < text.length) {
    const found = names.isAtMargin || text[at - 1] === '\n' ? importAt(text, at) : undefined;
    if (found !== undefined) {
      names.enter(0);
      for (const module of found.modules) if (!names.isSaid(lastOf(module))) modules.add(module);
      names.assign(found.bound);
      at += found.length;
      continue;
    }
    const statement = statementAt(text, at);
    if (statement === undefined || !names.enter(statement.indent)) break;
    names.read(statement);
    rest += text.slice(at, statement.end);
    at = statement.end;
  }
  names.enter(0);
  names.mentionWords(text.slice(at));
  return { ...names.found(), modules, rest: rest + text.slice(at) };
}

/** The last part of a dotted name. */
export const lastOf = (module: string) => module.slice(module.lastIndexOf('.') + 1);

interface Block {
  indent: number;
  /** A function has names of its own, which functions inside it see too. Those of a class are seen only in the class. */
  kind: 'function' | 'class' | 'plain';
  /** The names that are certain only inside it. */
  certain: string[];
}

class Names {
  readonly #atMargin = new Set<string>();
  readonly #inBlocks = new Set<string>();
  readonly #mentioned = new Set<string>();
  readonly #said = new Set<string>();
  readonly #blocks: Block[] = [];
  /** What the cell has certainly assigned, if it comes to the current line. */
  readonly #certain = new Set<string>();
  #indent = 0;

  constructor(readonly wordsIn: WordsIn) {}

  get isAtMargin(): boolean {
    return this.#blocks.length === 0;
  }

  /** Ends the blocks before a line with this indent; false if the line belongs to none that was read. */
  enter(indent = this.#indent): boolean {
    while (indent <= (this.#blocks.at(-1)?.indent ?? -1)) {
      const { indent: outer, certain } = this.#blocks.pop()!;
      for (const name of certain) this.#certain.delete(name);
      this.#indent = outer;
    }
    const block = this.#blocks.at(-1);
    const isFirst = block !== undefined && block.indent === this.#indent && indent > this.#indent;
    if (isFirst) this.#indent = indent;
    return indent === this.#indent;
  }

  /** Whether the word occurs at all, also as the name of an attribute. */
  isSaid(word: string): boolean {
    return this.#said.has(word);
  }

  assign(names: readonly string[]): void {
    const kinds = this.#blocks.map((block) => block.kind);
    if (kinds.includes('class')) {
      this.#mentionAll(names);
      return;
    }
    const assigned = this.isAtMargin ? this.#atMargin : this.#inBlocks;
    for (const name of names) {
      if (!this.#certain.has(name)) this.#blocks.at(-1)?.certain.push(name);
      this.#certain.add(name);
      if (!kinds.includes('function')) assigned.add(name);
    }
  }

  mention(text: string): void {
    this.#mentionAll(wordsRead(text, this.wordsIn) ?? this.wordsIn(text));
  }

  /** For a text whose structure is not certain. */
  mentionWords(text: string): void {
    this.#mentionAll(this.wordsIn(text));
  }

  #mentionAll(words: Iterable<string>): void {
    for (const word of words) if (!this.#certain.has(word)) this.#mentioned.add(word);
  }

  read({ text, colon }: Statement): void {
    for (const word of this.wordsIn(text)) this.#said.add(word);
    if (UNCERTAIN.test(text)) this.#mentionInBlocks(text);
    if (colon !== undefined) {
      this.#open(text.slice(0, colon), text.slice(colon));
      return;
    }
    const [, targets = '', value = text] = ASSIGNMENT.exec(text) ?? [];
    this.mention(value);
    this.assign(this.wordsIn(targets));
  }

  #mentionInBlocks(text: string): void {
    for (const word of this.wordsIn(text)) {
      if (!this.#certain.has(word) || !this.#atMargin.has(word)) this.#mentioned.add(word);
    }
  }

  /** A block begins, whose first statements may be on the line of its header. */
  #open(header: string, line: string): void {
    const [, name = '', signature = header] = FUNCTION.exec(header) ?? [];
    const parameters = PARAMETERS.test(signature) ? signature.replaceAll(DEFAULT, '') : '';
    const [, targets = parameters, rest = parameters === '' ? signature : ''] = FOR.exec(header) ?? [];
    this.mention(rest);
    this.assign(this.wordsIn(name));
    const kind = name !== '' ? 'function' : header.startsWith('class') ? 'class' : 'plain';
    this.#blocks.push({ indent: this.#indent, certain: [], kind });
    this.assign(this.wordsIn(targets));
    this.mention(line);
  }

  found(): Pick<AssignedFirst, 'names' | 'inBlocks'> {
    const isFirst = (name: string) => !this.#mentioned.has(name);
    const inBlocks = [...this.#inBlocks].filter((name) => isFirst(name) && !this.#atMargin.has(name));
    return {
      names: new Set([...[...this.#atMargin].filter(isFirst), ...inBlocks]),
      inBlocks: new Set(inBlocks),
    };
  }
}

interface Statement {
  /** Undefined if it does not begin its line. */
  indent: number | undefined;
  /** Without its indent. */
  text: string;
  /** Where the header of a block ends in the text. */
  colon?: number;
  end: number;
}

/** The next line of statements; undefined if its structure is not certain. */
function statementAt(text: string, from: number): Statement | undefined {
  const line = endOf(EMPTY, text, from);
  const start = endOf(INDENT, text, line);
  if (start === text.length) return { indent: 0, text: '', end: start };
  if (!/[A-Za-z_("'[{]/.test(text[start]!)) return undefined;
  let depth = 0;
  let colon: number | undefined;
  let at = start;
  while (at < text.length) {
    const next = pieceEnd(text, at);
    const piece = text.slice(at, next);
    if (next === at || piece === '\r' || isOpenText(piece)) return undefined;
    if ('([{'.includes(piece)) depth++;
    if (')]}'.includes(piece)) depth--;
    if (depth < 0) return undefined;
    if (depth === 0 && piece === ':' && text[next] !== '=') colon ??= at - start;
    at = next;
    if (depth === 0 && (piece === '\n' || (piece === ';' && colon === undefined))) break;
  }
  const statement = text.slice(start, at);
  if (depth > 0 || HEADER.test(statement) !== (colon !== undefined)) return undefined;
  const indent = line === from && text[from - 1] === ';' ? undefined : start - line;
  return { indent, text: statement, ...(colon !== undefined && { colon }), end: at };
}

/** In a formatted text, quotes may stand in braces, so that the text does not end where it seems to. */
function isOpenText(piece: string): boolean {
  return /^['"]/.test(piece) && piece.split('{').length !== piece.split('}').length;
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}
