/**
 * What a Python cell may take from other cells of its kernel, as its text shows.
 *
 * Invariant: a word is left out only where it surely names nothing that another cell set: the cell binds the name before
 * all that mentions it, or the name is local to a function. What is bound in a block counts inside of that block only.
 */
import { LABEL_CALLS, readExpression, type WordSink } from './expression-words.ts';
import { type ImportedModule, importOf } from './python-imports.ts';
import { type PythonStatement, pythonStatements, split, targetsOf } from './python-statements.ts';
import type { PythonToken } from './python-tokens.ts';
import { collectLocals, headTargets, isSure, parametersOf } from './statement-names.ts';
import { wordsIn } from './words.ts';

export interface CellReads {
  /** Words that may name what other cells set before it. */
  now: ReadonlySet<string>;
  /** Words that may name what other cells set later, when they use what this cell left: functions, texts. */
  later: ReadonlySet<string>;
  /** Words of texts that only label something, unless a cell defines what takes them itself. */
  labels: ReadonlySet<string>;
  /** Whether it defines a function that is taken to want labels. */
  takesLabels: boolean;
  /** All its words outside of imports, whatever they are. */
  all: ReadonlySet<string>;
  /** Names that it sets outside of functions, if it runs that far. */
  sets: ReadonlySet<string>;
  /** Names that imports bind before all else. */
  leading: ReadonlySet<string>;
  /** Modules that it surely loads before it can use them, and all that it may load. */
  loads: readonly string[];
  mayLoad: readonly string[];
}

/** The same for a text of which only the words are known. */
export function readsOfText(text: string): CellReads {
  const words = new Set(wordsIn(text));
  const none = new Set<string>();
  const nothing = { labels: none, takesLabels: false, sets: none, leading: none, loads: [], mayLoad: [] };
  return { now: words, later: words, all: words, ...nothing };
}

export function pythonReads(code: string): CellReads {
  const statements = pythonStatements(code);
  if (statements === undefined) return readsOfText(code);
  const finder = new ReadFinder();
  finder.look(statements, { bound: new Set(), isTop: true });
  return finder;
}

/** Where a statement stands that runs with the cell. */
interface Place {
  /** Names that the cell has surely bound before it. */
  bound: Set<string>;
  isTop: boolean;
  /** Names set in the body of a class are those of the class. */
  isClass?: boolean;
}

class ReadFinder implements CellReads {
  readonly now = new Set<string>();
  readonly later = new Set<string>();
  readonly labels = new Set<string>();
  readonly all = new Set<string>();
  readonly sets = new Set<string>();
  readonly leading = new Set<string>();
  readonly loads: string[] = [];
  readonly mayLoad: string[] = [];
  takesLabels = false;
  #isLeading = true;

  look(statements: readonly PythonStatement[], place: Place): void {
    let branches: Set<string>[] = [];
    for (const statement of statements) {
      const lead = statement.block && statement.tokens[0]?.text;
      if (lead === 'if') branches = [];
      if (lead !== 'if' && lead !== 'elif' && lead !== 'else') branches = [];
      const inner = this.#statement(statement, place);
      if (inner) branches.push(inner);
      if (lead !== 'else' || branches.length < 2) continue;
      for (const name of inner ?? []) if (branches.every((names) => names.has(name))) place.bound.add(name);
    }
  }

  /** Of a branch of an `if`, what is bound at its end. */
  #statement({ tokens, block }: PythonStatement, place: Place): Set<string> | undefined {
    const lead = tokens[0]?.kind === 'name' ? tokens[0].text : '';
    if (block === undefined && tokens.every(({ kind }) => kind === 'string')) return undefined;
    const imported = block === undefined ? importOf(tokens) : undefined;
    this.#isLeading &&= imported !== undefined;
    if (imported) this.#import(imported, place);
    else if (block === undefined) this.#simple(tokens, place);
    else if (lead === 'def') this.#function(tokens, block, place);
    else if (lead === 'class') this.#class(tokens, block, place);
    else return this.#block(lead, tokens, block, place);
    return undefined;
  }

  #import({ names, modules }: { names: string[]; modules: ImportedModule[] }, place: Place): void {
    for (const { path, part } of modules) {
      this.mayLoad.push(path);
      if (place.isTop && !this.all.has(part)) this.loads.push(path);
    }
    if (this.#isLeading) for (const name of names) this.leading.add(name);
    this.#bind(names, place);
  }

  #simple(tokens: readonly PythonToken[], place: Place): void {
    const parts = split(tokens, '=');
    const value = parts.pop()!;
    const isDeletion = tokens[0]!.text === 'del' || tokens[0]!.text === 'global';
    this.#read(value, isDeletion ? { ...place, bound: new Set() } : place);
    const targets = parts.map((part) => targetsOf(part));
    for (const [i, names] of targets.entries()) if (names === undefined) this.#read(parts[i]!, place);
    this.#bind(
      targets.flatMap((names) => names ?? []),
      place,
    );
  }

  #bind(names: readonly string[], place: Place): void {
    for (const name of names) {
      this.all.add(name);
      if (place.isClass) continue;
      place.bound.add(name);
      this.sets.add(name);
    }
  }

  /** What a block binds, it binds for itself: it may not run, or not to its end. */
  #block(
    lead: string,
    tokens: readonly PythonToken[],
    block: readonly PythonStatement[],
    place: Place,
  ): Set<string> | undefined {
    const bound = isSure(lead, tokens) ? place.bound : new Set(place.bound);
    const inner = { ...place, bound, isTop: false };
    const found = lead === 'for' || lead === 'with' ? headTargets(lead, tokens) : undefined;
    this.#read(found?.rest ?? tokens, place);
    this.#bind(found?.names ?? [], inner);
    this.look(block, inner);
    return lead === 'if' || lead === 'elif' || lead === 'else' ? inner.bound : undefined;
  }

  #class(tokens: readonly PythonToken[], block: readonly PythonStatement[], place: Place): void {
    this.#read(tokens.slice(2), place);
    this.look(block, { bound: new Set(place.bound), isTop: false, isClass: true });
    this.#bind([tokens[1]!.text], place);
  }

  #function(tokens: readonly PythonToken[], block: readonly PythonStatement[], place: Place): void {
    const name = tokens[1]!.text;
    this.takesLabels ||= LABEL_CALLS.has(name);
    this.#body(tokens, block, new Set(), place);
    this.#bind([name], place);
  }

  /** Its defaults and annotations are read where it is defined, its text when somebody calls it. */
  #body(
    tokens: readonly PythonToken[],
    block: readonly PythonStatement[],
    outer: ReadonlySet<string>,
    place: Place,
  ): void {
    const { parameters, rest } = parametersOf(tokens.slice(2));
    this.#read(rest, place, outer);
    const locals = new Set(parameters);
    const shared = new Set<string>();
    collectLocals(block, locals, shared);
    for (const name of shared) locals.delete(name);
    this.#deferred(block, new Set([...outer, ...locals]), place);
  }

  #deferred(block: readonly PythonStatement[], hidden: ReadonlySet<string>, place: Place): void {
    for (const { tokens, block: inner } of block) {
      const imported = inner === undefined ? importOf(tokens) : undefined;
      for (const { path } of imported?.modules ?? []) this.mayLoad.push(path);
      if (imported)
        for (const name of imported.names) hidden.has(name) || this.#sink(place, true).name(name, true);
      else if (inner && tokens[0]?.text === 'def') this.#body(tokens, inner, hidden, place);
      else this.#read(tokens, place, hidden, true);
      if (inner && tokens[0]?.text !== 'def') this.#deferred(inner, hidden, place);
    }
  }

  #read(tokens: readonly PythonToken[], place: Place, hidden?: ReadonlySet<string>, isLate = false): void {
    readExpression(tokens, this.#sink(place, isLate), hidden, isLate);
  }

  #sink({ bound }: Place, isDeferred: boolean): WordSink {
    return {
      name: (word, isLate) => {
        this.all.add(word);
        if (isLate || isDeferred) this.later.add(word);
        if (!bound.has(word)) this.now.add(word);
      },
      quoted: (word) => {
        this.all.add(word);
        this.later.add(word);
        if (!bound.has(word)) this.now.add(word);
      },
      label: (word) => {
        this.all.add(word);
        this.labels.add(word);
      },
      other: (word) => void this.all.add(word),
    };
  }
}
