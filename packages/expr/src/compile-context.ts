/**
 * Owns: what compilation collects: the free names and paths a template reads, the names it binds itself.
 * A name bound in only one branch of an if also counts as free: a reader of `names` would rather fetch too much.
 */
import type { Expression } from './ast.ts';

export class CompileContext {
  readonly names = new Set<string>();
  readonly paths = new Set<string>();
  /** Names bound anywhere: only these are looked up in frames. */
  readonly bound: ReadonlySet<string>;
  #scopes: Set<string>[] = [new Set()];
  /** Which of caller, varargs and kwargs the macro being compiled reads. */
  #specials = new Set<string>();

  constructor(bound: ReadonlySet<string>) {
    this.bound = bound;
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

  /** Compiles a macro's body and tells which special names it reads. */
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
    if (path && !this.#isDeclared(path[0]!)) this.paths.add(path.join('.'));
  }

  #isDeclared(name: string): boolean {
    return this.#scopes.some((scope) => scope.has(name));
  }
}

/** The segments of `a.b['c'][0]`, or JS undefined when one of them is computed. */
function pathOf(node: Expression): string[] | undefined {
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
