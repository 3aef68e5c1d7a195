/**
 * Owns: text, `{{ … }}` and the tags. Collects the names that the template binds.
 * Deliberately not here, with an error that says so: include, import, from, extends, block (a template is one field of
 * a document and has no loader), autoescape, trans, debug.
 */
import type {
  Branch,
  Expression,
  ExpressionOf,
  FilterStep,
  MacroSignature,
  Statement,
  Target,
} from './ast.ts';
import { ExpressionParser } from './expression-parser.ts';
import type { Token } from './lexer.ts';
import { didYouMean } from './nearest.ts';
import { Fault, type Span } from './template-error.ts';
import type { TokenStream } from './token-stream.ts';

const TAGS = ['if', 'for', 'set', 'with', 'macro', 'call', 'filter', 'do', 'raw', 'print'];
const NOT_HERE = new Set([
  'include',
  'import',
  'from',
  'extends',
  'block',
  'autoescape',
  'trans',
  'debug',
  'break',
  'continue',
]);

export class TemplateParser {
  readonly bound = new Set<string>();
  readonly #stream: TokenStream;
  readonly #expressions: ExpressionParser;

  constructor(stream: TokenStream) {
    this.#stream = stream;
    this.#expressions = new ExpressionParser(stream);
  }

  parse(): Statement[] {
    return this.#body([], undefined);
  }

  /** Statements up to a tag named in `ends`, whose name is left for the caller to read. */
  #body(ends: readonly string[], opened: Token | undefined): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      const token = this.#stream.next();
      if (token.type === 'data') statements.push({ type: 'text', text: token.text });
      else if (token.type === 'print') statements.push(this.#output());
      else if (token.type === 'tag') {
        if (this.#stream.isName(...ends)) return statements;
        statements.push(...this.#expressions.nested(() => this.#statement()));
      } else if (opened)
        throw this.#stream.fail(`this "${opened.text}" is never closed`, opened, `add {% ${ends.at(-1)} %}`);
      else return statements;
    }
  }

  /** The body of a block whose opening tag ends here, up to and including its end tag. */
  #block(end: string, opened: Token): Statement[] {
    this.#endTag();
    const body = this.#body([end], opened);
    this.#stream.expectKeyword(end);
    return body;
  }

  #endTag(): void {
    if (this.#stream.current.type !== 'tagend') throw this.#stream.unexpected('the end of the tag');
    this.#stream.next();
  }

  #output(): Statement {
    const value = this.#expressions.parseTuple();
    if (this.#stream.current.type !== 'printend') throw this.#stream.unexpected('"}}"');
    this.#stream.next();
    return { type: 'output', value, ...spanOf(value) };
  }

  #statement(): Statement[] {
    const tag = this.#stream.expectName('the name of a tag');
    const statements = this.#tag(tag);
    this.#endTag();
    return statements;
  }

  #tag(tag: Token): Statement[] {
    switch (tag.text) {
      case 'if':
        return [this.#if(tag)];
      case 'for':
        return [this.#for(tag)];
      case 'set':
        return [this.#set(tag)];
      case 'with':
        return [this.#with(tag)];
      case 'macro':
        return [this.#macro(tag)];
      case 'call':
        return [this.#callBlock(tag)];
      case 'filter':
        return [this.#filterBlock(tag)];
      case 'do':
        return [{ type: 'do', value: this.#expressions.parseTuple(), ...this.#span(tag) }];
      case 'print':
        return this.#print();
      default:
        throw this.#unknownTag(tag);
    }
  }

  #unknownTag(tag: Token): Fault {
    const at = { source: this.#stream.source, start: tag.start, end: tag.end };
    if (NOT_HERE.has(tag.text)) {
      return new Fault(
        'expr/unsupported',
        `the tag "${tag.text}" is not supported here`,
        'a template cannot load other templates',
        at,
      );
    }
    const closes = /^(end|el)/.test(tag.text);
    const message = closes ? `"${tag.text}" does not close an open tag` : `there is no tag "${tag.text}"`;
    return new Fault('expr/syntax', message, closes ? undefined : didYouMean(tag.text, TAGS), at);
  }

  #span(tag: Token): Span {
    return { source: this.#stream.source, start: tag.start, end: this.#stream.lastEnd };
  }

  #print(): Statement[] {
    const value = this.#expressions.parseTuple();
    return [{ type: 'output', value, ...spanOf(value) }];
  }

  #if(tag: Token): Statement {
    const branches: Branch[] = [];
    let otherwise: Statement[] = [];
    do {
      const test = this.#expressions.parseTuple(false);
      this.#endTag();
      branches.push({ test, body: this.#body(['elif', 'else', 'endif'], tag) });
    } while (this.#stream.skipName('elif'));
    if (this.#stream.skipName('else')) otherwise = this.#block('endif', tag);
    else this.#stream.expectKeyword('endif');
    return { type: 'if', branches, otherwise, ...this.#span(tag) };
  }

  #for(tag: Token): Statement {
    const target = this.#target(false);
    this.#stream.expectKeyword('in');
    const items = this.#expressions.parseTuple(false, ['recursive', 'if']);
    const filter = this.#stream.skipName('if') ? this.#expressions.parseExpression() : undefined;
    const recursive = this.#stream.skipName('recursive');
    this.bound.add('loop');
    this.#endTag();
    const body = this.#body(['else', 'endfor'], tag);
    const otherwise = this.#stream.skipName('else') ? this.#block('endfor', tag) : this.#skipEnd('endfor');
    return { type: 'for', target, items, filter, recursive, body, otherwise, ...this.#span(tag) };
  }

  #skipEnd(end: string): Statement[] {
    this.#stream.expectKeyword(end);
    return [];
  }

  #set(tag: Token): Statement {
    const target = this.#target(true);
    if (this.#stream.skipOp('=')) {
      return { type: 'set', target, value: this.#expressions.parseTuple(), ...this.#span(tag) };
    }
    const filters: FilterStep[] = [];
    while (this.#stream.isOp('|')) filters.push(this.#expressions.parseFilterStep());
    return { type: 'set-block', target, filters, body: this.#block('endset', tag), ...this.#span(tag) };
  }

  #with(tag: Token): Statement {
    const bindings: [Target, Expression][] = [];
    while (this.#stream.current.type !== 'tagend') {
      const target = this.#target(false);
      this.#stream.expectOp('=');
      bindings.push([target, this.#expressions.parseExpression()]);
      if (!this.#stream.skipOp(',')) break;
    }
    return { type: 'with', bindings, body: this.#block('endwith', tag), ...this.#span(tag) };
  }

  #macro(tag: Token): Statement {
    const name = this.#stream.expectName('the name of the macro').text;
    this.bound.add(name);
    const signature = this.#signature();
    return { type: 'macro', name, signature, body: this.#block('endmacro', tag), ...this.#span(tag) };
  }

  #signature(): MacroSignature {
    const params: string[] = [];
    const defaults: Expression[] = [];
    for (const name of ['caller', 'varargs', 'kwargs']) this.bound.add(name);
    this.#stream.expectOp('(');
    while (!this.#stream.isOp(')')) {
      const name = this.#stream.expectName('the name of a parameter').text;
      this.bound.add(name);
      params.push(name);
      if (this.#stream.skipOp('=')) defaults.push(this.#expressions.parseExpression());
      else if (defaults.length > 0)
        throw this.#stream.fail('a parameter without a default follows one with a default');
      if (!this.#stream.skipOp(',')) break;
    }
    this.#stream.expectOp(')');
    return { params, defaults };
  }

  #callBlock(tag: Token): Statement {
    const signature = this.#stream.isOp('(') ? this.#signature() : { params: [], defaults: [] };
    this.bound.add('caller');
    const call = this.#expressions.parseExpression();
    if (call.type !== 'call')
      throw this.#stream.fail('a call block needs a call', tag, 'write {% call name() %}');
    const body = this.#block('endcall', tag);
    return { type: 'call-block', signature, call: call as ExpressionOf<'call'>, body, ...this.#span(tag) };
  }

  #filterBlock(tag: Token): Statement {
    const filters = [this.#expressions.parseFilterStep(false)];
    while (this.#stream.isOp('|')) filters.push(this.#expressions.parseFilterStep());
    return { type: 'filter-block', filters, body: this.#block('endfilter', tag), ...this.#span(tag) };
  }

  #target(members: boolean): Target {
    const { start } = this.#stream.current;
    const first = this.#singleTarget(members);
    if (!this.#stream.isOp(',')) return first;
    const items = [first];
    while (this.#stream.skipOp(',')) {
      if (this.#stream.isName('in') || this.#stream.isOp('=', ')')) break;
      items.push(this.#singleTarget(false));
    }
    return { type: 'tuple', items, source: this.#stream.source, start, end: this.#stream.lastEnd };
  }

  #singleTarget(members: boolean): Target {
    const { start } = this.#stream.current;
    if (this.#stream.skipOp('(')) {
      const inner = this.#expressions.nested(() => this.#target(false));
      this.#stream.expectOp(')');
      return inner;
    }
    const name = this.#stream.expectName('a name to assign to').text;
    const span = (): Span => ({ source: this.#stream.source, start, end: this.#stream.lastEnd });
    if (members && this.#stream.skipOp('.')) {
      return { type: 'member', namespace: name, name: this.#stream.expectName().text, ...span() };
    }
    if (/^([Tt]rue|[Ff]alse|[Nn]one)$/.test(name)) throw this.#stream.fail(`"${name}" cannot be assigned to`);
    this.bound.add(name);
    return { type: 'name', name, ...span() };
  }
}

const spanOf = ({ source, start, end }: Span): Span => ({ source, start, end });
