/**
 * Owns: what compilation collects: the free names and paths that a template reads, and the names that it binds itself.
 * Also leads back to the two recursive compilers, so that a file that compiles one part imports neither.
 * A name bound in only one branch of an if also counts as free: users of `names` had better fetch too much.
 */
import type { Expression, Statement } from './ast.ts';
import { globalNamed } from './globals.ts';
import type { Frame } from './runtime.ts';
import type { Span } from './template-error.ts';
import type { TextBuffer } from './text-buffer.ts';

export type Evaluator = (frame: Frame) => unknown;
export type Writer = (frame: Frame, out: TextBuffer) => void;

/** A path of names that a template reads but does not bind. `start` and `end` are its position in the source. */
export interface Read {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

interface Compilers {
  expression(context: CompileContext, node: Expression): Evaluator;
  value(context: CompileContext, node: Expression): Evaluator;
  part(context: CompileContext, node: Expression): Evaluator;
  body(context: CompileContext, statements: readonly Statement[]): Writer;
}

export class CompileContext {
  readonly names = new Set<string>();
  readonly paths = new Map<string, Span>();
  /** Names bound anywhere. Only these are looked up in frames. */
  readonly bound: ReadonlySet<string>;
  readonly #compilers: Compilers;
  /** By position, so that each counts once. */
  readonly #reads = new Map<number, Read>();
  /** Paths that the template reads with `default` or `is defined`, and so expects to be absent at times. */
  readonly #optional: (readonly string[])[] = [];
  #scopes: Set<string>[] = [new Set()];
  /** Which of caller, varargs and kwargs the macro being compiled reads. */
  #specials = new Set<string>();

  constructor(bound: ReadonlySet<string>, compilers: Compilers) {
    this.bound = bound;
    this.#compilers = compilers;
  }

  /** For code that passes the value on: it may be a reference. */
  expression(node: Expression): Evaluator {
    return this.#compilers.expression(this, node);
  }

  /** The inner part of a path, which counts as read together with the whole path. */
  part(node: Expression): Evaluator {
    return this.#compilers.part(this, node);
  }

  /** For code that looks into the value. */
  value(node: Expression): Evaluator {
    return this.#compilers.value(this, node);
  }

  /** A body with its own scope, in which `names` are bound. */
  block(names: Iterable<string>, body: readonly Statement[]): Writer {
    return this.scoped(names, () => this.#compilers.body(this, body));
  }

  declare(name: string): void {
    this.#scopes.at(-1)!.add(name);
  }

  scoped<T>(names: Iterable<string>, compile: () => T): T {
    this.#scopes.push(new Set(names));
    const result = compile();
    this.#scopes.pop();
    return result;
  }

  /** Compiles a macro's body and returns which special names it reads. */
  collectSpecials<T>(compile: () => T): { result: T; specials: ReadonlySet<string> } {
    const outer = this.#specials;
    this.#specials = new Set();
    const result = compile();
    const specials = this.#specials;
    this.#specials = outer;
    return { result, specials };
  }

  read(name: string): void {
    if (name === 'caller' || name === 'varargs' || name === 'kwargs') this.#specials.add(name);
    if (!this.#isDeclared(name)) this.names.add(name);
  }

  readPath(node: Expression): void {
    const path = pathOf(node);
    const dotted = path && !this.#isDeclared(path[0]!) ? path.join('.') : undefined;
    if (dotted !== undefined && !this.paths.has(dotted)) this.paths.set(dotted, node);
    const read = fixedRead(node);
    if (read && !this.bound.has(read.path[0]!) && !globalNamed(read.path[0]!))
      this.#reads.set(read.start, read);
  }

  /** The template itself handles the absence of this node's value. */
  allowAbsent(node: Expression): void {
    const path = pathOf(node);
    if (path) this.#optional.push(path);
  }

  /** The reads that the template cannot do without. */
  needed(): Read[] {
    const isOptional = ({ path }: Read) =>
      this.#optional.some((optional) => optional.every((name, at) => name === path[at]));
    const needed = [...this.#reads.values()].filter((read) => !isOptional(read));
    return needed.sort((a, b) => a.start - b.start);
  }

  #isDeclared(name: string): boolean {
    return this.#scopes.some((scope) => scope.has(name));
  }
}

/** The segments of `a.b['c'][0]`, or JS undefined if one of them is computed. */
export function pathOf(node: Expression): string[] | undefined {
  const segments: string[] = [];
  let at = node;
  for (;;) {
    if (at.type === 'name') return [at.name, ...segments.reverse()];
    if (at.type === 'attribute') segments.push(at.name);
    else if (at.type === 'item' && at.key.type === 'const') segments.push(String(at.key.value));
    else return undefined;
    at = at.object;
  }
}

/** The longest prefix of a path that consists only of names: `a.b` in `a.b[0].c` and `a.b[key]`. */
function fixedRead(node: Expression): Read | undefined {
  let path: string[] = [];
  let end = node;
  let at = node;
  for (;;) {
    if (at.type === 'name') return { path: [at.name, ...path.reverse()], start: at.start, end: end.end };
    if (at.type === 'attribute') path.push(at.name);
    else if (at.type === 'item' && at.key.type === 'const' && typeof at.key.value === 'string')
      path.push(at.key.value);
    else if (at.type === 'item') [path, end] = [[], at.object];
    else return undefined;
    at = at.object;
  }
}
