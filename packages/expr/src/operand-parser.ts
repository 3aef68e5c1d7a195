/**
 * Owns: operands: constants, names, brackets, and what may follow them: attributes, keys, calls, filters and tests; the
 * limits on nesting.
 * Does not own: operators and their precedence (expression-parser.ts).
 * Invariants: linear time; neither the parser nor any walk over its trees recurses deeper than the limits.
 */
import type { Arguments, Expression } from './ast.ts';
import { fuelFault, type Span } from './template-error.ts';
import type { TokenStream } from './token-stream.ts';

const MAX_NESTING = 200;
const MAX_HEIGHT = 1000;
const NO_CHILDREN: readonly Expression[] = [];
const NO_ARGUMENTS: Arguments = { positional: [], keyword: [], star: undefined, doubleStar: undefined };
/** Words that end a test instead of being its argument. */
const AFTER_TEST: ReadonlySet<string> = new Set(['else', 'or', 'and', 'if', 'not', 'in', 'recursive']);

type Body<T> = T extends Expression ? Omit<T, keyof Span | 'height'> : never;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

export abstract class OperandParser {
  readonly stream: TokenStream;
  #nesting = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  abstract parseExpression(): Expression;
  /** Commas outside brackets make a tuple. */
  abstract parseTuple(): Expression;

  /** Runs `parse` one level deeper. Statements use it too, so blocks and brackets share one limit. */
  nested<T>(parse: () => T): T {
    if (++this.#nesting > MAX_NESTING) throw this.#tooDeep();
    const result = parse();
    this.#nesting--;
    return result;
  }

  /** Completes the body, which becomes the node: a copy of it would take a third of the time of parsing. */
  node(
    start: number,
    body: Body<Expression>,
    children: readonly (Expression | undefined)[] = NO_CHILDREN,
  ): Expression {
    let height = 0;
    for (const child of children) if (child && child.height > height) height = child.height;
    if (++height > MAX_HEIGHT) throw this.#tooDeep();
    const node = body as Writable<Expression>;
    node.source = this.stream.source;
    node.start = start;
    node.end = this.stream.lastEnd;
    node.height = height;
    return node;
  }

  #tooDeep() {
    const { start, end } = this.stream.current;
    const fault = fuelFault('this template nests too deeply');
    return Object.assign(fault, { at: { source: this.stream.source, start, end } });
  }

  protected primary(): Expression {
    const token = this.stream.current;
    if (token.type === 'name') return this.#nameOrConstant();
    if (token.type === 'string') return this.#strings();
    if (token.type === 'number') {
      this.stream.next();
      return this.node(token.start, { type: 'const', value: token.number });
    }
    if (this.stream.isOp('(')) return this.#parenthesised();
    if (this.stream.isOp('[')) return this.#list();
    if (this.stream.isOp('{')) return this.#dict();
    throw this.stream.unexpected('an expression');
  }

  #nameOrConstant(): Expression {
    const { text, start } = this.stream.next();
    if (text === 'true' || text === 'True') return this.node(start, { type: 'const', value: true });
    if (text === 'false' || text === 'False') return this.node(start, { type: 'const', value: false });
    if (text === 'none' || text === 'None') return this.node(start, { type: 'const', value: null });
    return this.node(start, { type: 'name', name: text });
  }

  #strings(): Expression {
    const start = this.stream.current.start;
    let value = '';
    while (this.stream.current.type === 'string') value += this.stream.next().text;
    return this.node(start, { type: 'const', value });
  }

  #parenthesised(): Expression {
    const { start } = this.stream.next();
    if (this.stream.skipOp(')')) return this.node(start, { type: 'tuple', items: [] });
    const inner = this.nested(() => this.parseTuple());
    this.stream.expectOp(')');
    return inner;
  }

  #list(): Expression {
    const { start } = this.stream.next();
    const items: Expression[] = [];
    while (!this.stream.isOp(']')) {
      items.push(this.parseExpression());
      if (!this.stream.skipOp(',')) break;
    }
    this.stream.expectOp(']');
    return this.node(start, { type: 'list', items }, items);
  }

  #dict(): Expression {
    const { start } = this.stream.next();
    const pairs: [Expression, Expression][] = [];
    while (!this.stream.isOp('}')) {
      const key = this.parseExpression();
      this.stream.expectOp(':');
      pairs.push([key, this.parseExpression()]);
      if (!this.stream.skipOp(',')) break;
    }
    this.stream.expectOp('}');
    return this.node(start, { type: 'dict', pairs }, pairs.flat());
  }

  protected postfix(first: Expression, start: number, filters: boolean): Expression {
    let node = first;
    for (;;) {
      if (this.stream.isOp('.')) node = this.#attribute(node, start);
      else if (this.stream.isOp('[')) node = this.#subscript(node, start);
      else if (this.stream.isOp('(')) node = this.#call(node, start);
      else break;
    }
    while (filters) {
      if (this.stream.isOp('|')) node = this.#filter(node, start);
      else if (this.stream.isName('is')) node = this.#test(node, start);
      else if (this.stream.isOp('(')) node = this.#call(node, start);
      else break;
    }
    return node;
  }

  #attribute(object: Expression, start: number): Expression {
    this.stream.next();
    const token = this.stream.current;
    if (token.type === 'number') {
      this.stream.next();
      const key = this.node(token.start, { type: 'const', value: token.number });
      return this.node(start, { type: 'item', object, key }, [object, key]);
    }
    const name = this.stream.expectName('a name or a number after "."').text;
    return this.node(start, { type: 'attribute', object, name }, [object]);
  }

  #subscript(object: Expression, start: number): Expression {
    this.stream.next();
    const keyStart = this.stream.current.start;
    const parts: (Expression | undefined)[] = [];
    const part = (): void => {
      parts.push(this.stream.isOp(':', ']', ',') ? undefined : this.parseExpression());
    };
    part();
    while (parts.length < 3 && this.stream.skipOp(':')) part();
    if (parts.length > 1) {
      this.stream.expectOp(']');
      return this.node(start, { type: 'slice', object, parts }, [object, ...parts]);
    }
    const key = parts[0];
    if (!key) throw this.stream.unexpected('a key or an index');
    const keys = [key];
    while (this.stream.skipOp(',')) keys.push(this.parseExpression());
    const whole = keys.length === 1 ? key : this.node(keyStart, { type: 'tuple', items: keys }, keys);
    this.stream.expectOp(']');
    return this.node(start, { type: 'item', object, key: whole }, [object, whole]);
  }

  #call(callee: Expression, start: number): Expression {
    const args = this.parseArguments();
    return this.node(start, { type: 'call', callee, args }, [callee, ...argumentNodes(args)]);
  }

  #filter(subject: Expression, start: number): Expression {
    const { name, args } = this.parseFilterStep();
    return this.node(start, { type: 'filter', subject, name, args }, [subject, ...argumentNodes(args)]);
  }

  /** `| name(arguments)`. The bar has not been consumed yet; a filter block has none. */
  parseFilterStep(bar = true): { name: string; args: Arguments } & Span {
    if (bar) this.stream.expectOp('|');
    const { start } = this.stream.current;
    const name = this.#dottedName('the name of a filter');
    const args = this.stream.isOp('(') ? this.parseArguments() : NO_ARGUMENTS;
    return { name, args, source: this.stream.source, start, end: this.stream.lastEnd };
  }

  #dottedName(what: string): string {
    let name = this.stream.expectName(what).text;
    while (this.stream.isOp('.') && this.stream.ahead.type === 'name') {
      this.stream.next();
      name += `.${this.stream.next().text}`;
    }
    return name;
  }

  #test(subject: Expression, start: number): Expression {
    this.stream.next();
    const negated = this.stream.skipName('not');
    const name = this.#dottedName('the name of a test');
    const args = this.stream.isOp('(') ? this.parseArguments() : this.#bareArgument();
    return this.node(start, { type: 'test', subject, name, args, negated }, [
      subject,
      ...argumentNodes(args),
    ]);
  }

  /** `x is divisibleby 3`: one argument without parentheses. */
  #bareArgument(): Arguments {
    const { type, text } = this.stream.current;
    if (type === 'name' && text === 'is') {
      throw this.stream.fail('tests cannot be chained', this.stream.current, 'join them with "and"');
    }
    const starts = type === 'string' || type === 'number' || this.stream.isOp('[', '{');
    if (!starts && (type !== 'name' || AFTER_TEST.has(text))) return NO_ARGUMENTS;
    const start = this.stream.current.start;
    return { ...NO_ARGUMENTS, positional: [this.postfix(this.primary(), start, false)] };
  }

  parseArguments(): Arguments {
    this.stream.expectOp('(');
    const positional: Expression[] = [];
    const keyword: [string, Expression][] = [];
    let star: Expression | undefined;
    let doubleStar: Expression | undefined;
    while (!this.stream.isOp(')')) {
      const { current, ahead } = this.stream;
      if (doubleStar) throw this.stream.fail('nothing may follow ** in a call');
      if (this.stream.skipOp('**')) doubleStar = this.parseExpression();
      else if (!star && this.stream.skipOp('*')) star = this.parseExpression();
      else if (current.type === 'name' && ahead.type === 'op' && ahead.text === '=') {
        this.stream.next();
        this.stream.next();
        keyword.push([current.text, this.parseExpression()]);
      } else if (star || keyword.length > 0) {
        throw this.stream.fail('a positional argument cannot follow a keyword argument');
      } else positional.push(this.parseExpression());
      if (!this.stream.skipOp(',')) break;
    }
    this.stream.expectOp(')');
    return { positional, keyword, star, doubleStar };
  }
}

function argumentNodes(args: Arguments): (Expression | undefined)[] {
  return [...args.positional, ...args.keyword.map(([, value]) => value), args.star, args.doubleStar];
}
