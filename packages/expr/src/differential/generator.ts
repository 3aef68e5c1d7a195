/** Owns: random expressions and templates from a seed, built so that most of them are meaningful. */

/** A small random number generator, so that a seed determines everything. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Make = (depth: number) => string;

export class Generator {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  #pick<T>(options: readonly T[]): T {
    return options[Math.floor(this.#random() * options.length)]!;
  }

  expression(depth = 3): string {
    return this.#pick<Make>([this.#number, this.#text, this.#list, this.#truth, this.#anything])(depth);
  }

  readonly #anything: Make = (depth) => {
    if (depth <= 0) return this.#pick(['n', 'name', 'xs', 'd', 'nothing', 'mixed', this.#undefined()]);
    const part = (): string => this.expression(depth - 1);
    return this.#pick([
      () => `(${part()} if ${this.#truth(depth - 1)} else ${part()})`,
      () => `(${part()} or ${part()})`,
      () => `(${part()} and ${part()})`,
      () => `[${part()}, ${part()}]`,
      () => `(${part()}, ${part()})`,
      () => `{'k': ${part()}, 'a': ${part()}}`,
      () => `(${part()})|default(${part()}, true)`,
      () => this.#undefined(),
      () => `(${this.#undefined()})|default(${part()})`,
      () => `(${part()})|string`,
      () => `(${part()})|tojson`,
      () => `d.get(${this.#text(0)}, ${part()})`,
    ])();
  };

  #undefined(): string {
    return this.#pick([
      'nosuch',
      'nosuch.of.it',
      'd.nosuch',
      "d['nosuch']",
      'xs[9]',
      'users[0].nosuch',
      '[]|first',
    ]);
  }

  readonly #number: Make = (depth) => {
    if (depth <= 0)
      return this.#pick(['0', '1', '7', '-3', '2.5', '0.1', '100', 'n', 'neg', 'pi', 'half', 'big', 'true']);
    const a = this.#number(depth - 1);
    const b = this.#number(depth - 1);
    return this.#pick([
      `(${a} ${this.#pick(['+', '-', '*', '/', '//', '%'])} ${b})`,
      `(${a} ** ${this.#pick(['0', '1', '2', '3', '-1'])})`,
      `(-${a})`,
      `(${a})|abs`,
      `(${a})|int`,
      `(${a})|float`,
      `(${a})|round(${this.#pick(['0', '1', '2'])})`,
      `(${this.#list(depth - 1)})|length`,
      `(${this.#text(depth - 1)})|length`,
      `(xs + [${a}])|${this.#pick(['sum', 'max', 'min', 'first', 'last'])}`,
      `(${this.#text(depth - 1)}).${this.#pick(["count('a')", "find('e')", "rfind(' ')"])}`,
    ]);
  };

  readonly #text: Make = (depth) => {
    if (depth <= 0)
      return this.#pick([
        "''",
        "'a'",
        "'Hello'",
        'name',
        'csv',
        'emoji',
        'padded',
        "'%s'",
        'lines',
        'digits',
      ]);
    const text = this.#text(depth - 1);
    return this.#pick([
      `(${text} ~ ${this.expression(depth - 1)})`,
      `(${text} + ${this.#text(depth - 1)})`,
      `(${text} * ${this.#pick(['0', '1', '2'])})`,
      `(${text})|${this.#pick(['upper', 'lower', 'title', 'capitalize', 'trim', 'reverse', 'string', 'e', 'urlencode'])}`,
      `(${text})|replace('a', ${this.#text(0)})`,
      `(${text})|truncate(${this.#pick(['3', '5', '10'])}, ${this.#pick(['true', 'false'])})`,
      `(${text})|center(${this.#pick(['5', '12'])})`,
      `(${text})|indent(2)`,
      `(${text})|wordwrap(${this.#pick(['4', '9'])})`,
      `(${text})[${this.#pick(['1:', ':-1', '::2', '::-1', '1:3'])}]`,
      `(${text}).${this.#pick(['strip()', 'swapcase()', "replace('l', 'L', 1)", 'zfill(6)', "ljust(8, '.')", 'rjust(8)', "removeprefix('A')"])}`,
      `(${this.#list(depth - 1)})|join(${this.#text(0)})`,
      `'%${this.#pick(['s', 'r', '5s', '-4s|'])}' % (${this.expression(depth - 1)},)`,
      `'%${this.#pick(['d', '.2f', '05d', '+d', 'e', 'g', '8.1f'])}' % (${this.#number(depth - 1)},)`,
      `'{:${this.#pick(['>8', '<8', '^9', ''])}}'.format(${text})`,
      `'{:${this.#pick(['.3f', '10.1f', 'e', ',', '+', 'g', '08.2f'])}}'.format(${this.#number(depth - 1)})`,
    ]);
  };

  readonly #list: Make = (depth) => {
    if (depth <= 0)
      return this.#pick(['[]', 'xs', 'words', '[1, 2, 3]', 'mixed', 'nested', 'range(4)', "['b', 'a']"]);
    const list = this.#list(depth - 1);
    return this.#pick([
      `(${list})|list`,
      `((${list})|list + (${this.#list(depth - 1)})|list)`,
      `((${list})|list * ${this.#pick(['0', '1', '2'])})`,
      `((${list})|list)[${this.#pick(['1:', ':-1', '::2', '::-1', '-2:', '1:3'])}]`,
      `(${list})|${this.#pick(['sort', 'reverse', 'unique', 'select', 'reject'])}|list`,
      `(${list})|map('${this.#pick(['string', 'string', 'tojson', 'int', 'float'])}')|list`,
      `(${list})|${this.#pick(['select', 'reject'])}('${this.#pick(['none', 'string', 'number', 'defined', 'iterable'])}')|list`,
      `(${list})|batch(${this.#pick(['1', '2'])})|list`,
      `(${list})|slice(2)|list`,
      `(${this.#text(depth - 1)}).split(${this.#pick(['', "','", "' '", "'a', 1"])})`,
      `d|${this.#pick(['dictsort', 'items', 'list'])}|list`,
      `users|map(attribute='${this.#pick(['name', 'age', 'city', 'nosuch'])}')|list`,
      `users|${this.#pick(['selectattr', 'rejectattr'])}('${this.#pick(['active', 'name', 'nosuch'])}')|map(attribute='age')|list`,
    ]);
  };

  readonly #truth: Make = (depth) => {
    if (depth <= 0) return this.#pick(['yes', 'no', 'true', 'n > 5', "'a' in name", 'xs']);
    const a = this.expression(depth - 1);
    return this.#pick([
      `(${this.#number(depth - 1)} ${this.#pick(['<', '<=', '>', '>=', '==', '!='])} ${this.#number(depth - 1)})`,
      `(${a} ${this.#pick(['==', '!='])} ${this.expression(depth - 1)})`,
      `(${this.#text(depth - 1)} ${this.#pick(['<', '>', 'in', 'not in'])} ${this.#text(depth - 1)})`,
      `(${a} in ${this.#list(depth - 1)})`,
      `(not ${a})`,
      `(${a} is ${this.#pick(['', 'not '])}${this.#pick(['none', 'string', 'number', 'mapping', 'iterable', 'sequence', 'boolean', 'integer', 'float', 'true', 'lower', 'defined', 'undefined'])})`,
      `(${this.#number(depth - 1)} < ${this.#number(depth - 1)} <= ${this.#number(0)})`,
    ]);
  };

  template(depth = 2): string {
    const parts = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => this.#part(depth));
    return parts.join(this.#pick(['', ' ', '\n']));
  }

  #part(depth: number): string {
    const print = `{{ ${this.expression(2)} }}`;
    if (depth <= 0) return this.#pick([print, 'text', ' x ']);
    const body = (): string => this.template(depth - 1);
    const open = this.#pick(['{%', '{%-', '{%', '{%']);
    const close = this.#pick(['%}', '-%}', '%}', '%}']);
    return this.#pick([
      () => print,
      () => `${open} if ${this.#truth(1)} ${close}${body()}{% else %}${body()}${open} endif ${close}`,
      () => `${open} for x in ${this.#list(1)} ${close}${body()}{{ loop.index }}${open} endfor ${close}`,
      () => `${open} set v = ${this.expression(1)} ${close}{{ v }}`,
      () => `${open} set v ${close}${body()}${open} endset ${close}{{ v|length }}`,
      () => `{% filter upper %}${body()}{% endfilter %}`,
      () =>
        `{% macro m(a, b=${this.#number(0)}) %}{{ a }}${body()}{{ b }}{% endmacro %}{{ m(${this.expression(1)}) }}`,
      () => `{% with w = ${this.expression(1)} %}{{ w }}${body()}{% endwith %}`,
      () => `{# note #}${body()}`,
    ])();
  }
}
