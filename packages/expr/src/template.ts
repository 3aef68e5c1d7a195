/** Owns: the public interface: compile, the three ways to run a template, and how Faults become TemplateErrors. */

import type { Expression, Statement } from './ast.ts';
import { CompileContext, type Evaluator, type Read, type Writer } from './compile-context.ts';
import { compileExpression as compileNode, compilePart, compileValue } from './compile-expression.ts';
import { compileBody } from './compile-statement.ts';
import { ExpressionParser } from './expression-parser.ts';
import { filterNamed, hasFilter } from './filters/index.ts';
import { guardTruth, plainGuardTruth } from './guard-truth.ts';
import { normaliseNewlines, tokeniseExpression, tokeniseTemplate } from './lexer.ts';
import { LruCache } from './lru-cache.ts';
import { fromText, toNative } from './native.ts';
import { type KnownPaths, partialTruth } from './partial-truth.ts';
import { Range } from './range.ts';
import { Frame, type Host, type Registry, Runtime, type Scope } from './runtime.ts';
import { Fault, fuelFault, type Span, TemplateError } from './template-error.ts';
import { TemplateParser } from './template-parser.ts';
import { testNamed } from './tests.ts';
import { TextBuffer } from './text-buffer.ts';
import { TokenStream } from './token-stream.ts';

export interface Template {
  readonly source: string;
  /** No tags | exactly one `{{ … }}`, optionally surrounded by white space | anything else. */
  readonly kind: 'literal' | 'lone' | 'text';
  /** Free root names that it reads, without names that it binds itself. */
  readonly names: ReadonlySet<string>;
  /** Best-effort dotted paths with constant keys, such as `keychain.pg.password`, and where each is first written. */
  readonly paths: ReadonlyMap<string, Span>;
  /** The paths that it needs, with positions. Excludes what it tests with `is defined` or gives a default. */
  readonly reads: readonly Read[];
  evaluate(scope: Scope, host: Host): unknown;
  /** Like `evaluate`, but a range stays a range, so it takes no memory however long it is. */
  evaluateItems(scope: Scope, host: Host): unknown;
  render(scope: Scope, host: Host): string;
  test(scope: Scope, host: Host): boolean;
  /** The result of `test` if only these paths are known. Undefined: it depends on others. */
  testKnown(known: KnownPaths): boolean | undefined;
}

export interface Compiled {
  template?: Template;
  errors: TemplateError[];
}

const REGISTRY: Registry = { hasFilter, filterNamed, testNamed };
const CACHE_ENTRIES = 2000;
const templates = new LruCache<Compiled>(CACHE_ENTRIES);
const expressions = new LruCache<Compiled>(CACHE_ENTRIES);

/** Cheap check whether a text contains a tag at all. */
export const isTemplate = (text: string): boolean =>
  text.includes('{{') || text.includes('{%') || text.includes('{#');

/** Compiles a template. Never throws on bad input. */
export const compile = (source: string): Compiled => templates.get(source, compileTemplate);

/** Compiles a bare expression, without braces. */
export const compileExpression = (source: string): Compiled => expressions.get(source, compileBare);

function compileTemplate(source: string): Compiled {
  if (!isTemplate(source)) return { template: new LiteralTemplate(source), errors: [] };
  const text = normaliseNewlines(source);
  return guarded(text, () => {
    const parser = new TemplateParser(new TokenStream(text, tokeniseTemplate(text)));
    return build(source, text, parser.parse(), parser.bound);
  });
}

function compileBare(source: string): Compiled {
  const text = normaliseNewlines(source);
  return guarded(text, () => {
    const stream = new TokenStream(text, tokeniseExpression(text));
    const value = new ExpressionParser(stream).parseTuple();
    if (stream.current.type !== 'end') throw stream.unexpected('the end of the expression');
    return build(
      source,
      text,
      [{ type: 'output', value, source: text, start: value.start, end: value.end }],
      new Set(),
    );
  });
}

function guarded(text: string, make: () => Template): Compiled {
  try {
    return { template: make(), errors: [] };
  } catch (error) {
    return { errors: [toTemplateError(error, { source: text, start: 0, end: text.length })] };
  }
}

const COMPILERS = { expression: compileNode, value: compileValue, part: compilePart, body: compileBody };

function build(source: string, text: string, statements: Statement[], bound: ReadonlySet<string>): Template {
  const context = new CompileContext(bound, COMPILERS);
  const lone = loneExpression(statements, text);
  const whole = { source: text, start: 0, end: text.length };
  if (!lone) {
    const write = compileBody(context, statements);
    return new CompiledTemplate(source, { whole, lone }, context, undefined, () => write);
  }
  // A lone expression is rarely rendered as text, so its writer is made when somebody asks for it.
  const write = once(() => compileBody(new CompileContext(bound, COMPILERS), statements));
  return new CompiledTemplate(source, { whole, lone }, context, compileNode(context, lone), write);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function loneExpression(statements: readonly Statement[], text: string): Expression | undefined {
  const rest = statements.filter((statement) => statement.type !== 'text' || statement.text.trim() !== '');
  const only = rest[0];
  if (rest.length !== 1 || only?.type !== 'output' || text.includes('{#') || /^\s*\{%/.test(text))
    return undefined;
  return only.value;
}

class LiteralTemplate implements Template {
  readonly source: string;
  readonly kind = 'literal';
  readonly names: ReadonlySet<string> = new Set();
  readonly paths: ReadonlyMap<string, Span> = new Map();
  readonly reads: readonly Read[] = [];

  constructor(source: string) {
    this.source = source;
  }
  evaluate(): unknown {
    return this.source;
  }
  evaluateItems(): unknown {
    return this.source;
  }
  render(): string {
    return this.source;
  }
  test(): boolean {
    return plainGuardTruth(this.source);
  }
  testKnown(): boolean {
    return plainGuardTruth(this.source);
  }
}

class CompiledTemplate implements Template {
  readonly source: string;
  readonly kind: 'lone' | 'text';
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlyMap<string, Span>;
  readonly reads: readonly Read[];
  readonly #at: Span;
  readonly #lone: Expression | undefined;
  readonly #value: Evaluator | undefined;
  readonly #writer: () => Writer;

  constructor(
    source: string,
    at: { whole: Span; lone: Expression | undefined },
    context: CompileContext,
    value: Evaluator | undefined,
    writer: () => Writer,
  ) {
    this.source = source;
    this.kind = value ? 'lone' : 'text';
    this.names = context.names;
    this.paths = context.paths;
    this.reads = context.needed();
    this.#at = at.lone ?? at.whole;
    this.#lone = at.lone;
    this.#value = value;
    this.#writer = writer;
  }

  evaluate(scope: Scope, host: Host): unknown {
    return this.#run(scope, host, (rt) =>
      this.#value ? toNative(rt, this.#value(new Frame(rt))) : this.#fromText(rt),
    );
  }

  evaluateItems(scope: Scope, host: Host): unknown {
    return this.#run(scope, host, (rt) => {
      if (!this.#value) return this.#fromText(rt);
      const value = this.#value(new Frame(rt));
      return value instanceof Range ? value : toNative(rt, value);
    });
  }

  render(scope: Scope, host: Host): string {
    return this.#run(scope, host, (rt) => this.#text(rt));
  }

  test(scope: Scope, host: Host): boolean {
    return this.#run(scope, host, (rt) => {
      const value = this.#value ? this.#value(new Frame(rt)) : this.#fromText(rt);
      return typeof value === 'boolean' ? value : guardTruth(rt, value);
    });
  }

  testKnown(known: KnownPaths): boolean | undefined {
    return this.#lone && partialTruth(this.#lone, known);
  }

  #run<T>(scope: Scope, host: Host, evaluate: (rt: Runtime) => T): T {
    const rt = new Runtime(scope, host, REGISTRY, this.#at);
    try {
      return evaluate(rt);
    } catch (error) {
      throw toTemplateError(error, rt.at);
    } finally {
      rt.settle();
    }
  }

  #text(rt: Runtime): string {
    const out = new TextBuffer();
    this.#writer()(new Frame(rt), out);
    return out.text;
  }

  /** Rendered text becomes native, unless `tojson` made part of it. */
  #fromText(rt: Runtime): unknown {
    const text = this.#text(rt);
    return rt.sawJson ? text : fromText(text);
  }
}

/** A stack overflow can only come from a caller that was already deep in the stack: it counts as too little fuel. */
function toTemplateError(error: unknown, at: Span): TemplateError {
  if (error instanceof RangeError) return toTemplateError(fuelFault('this template nests too deeply'), at);
  if (error instanceof Fault)
    return new TemplateError(error.code, error.message, error.at ?? at, error.hint, error.cause);
  throw error;
}
