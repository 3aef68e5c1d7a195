/**
 * Values as text, in the form in which Node shows them, so that a cell prints the same in a page as from the command
 * line. What only Node can see (the state of promises, the entries of weak maps) is left out.
 */
import { inColumns } from './columns.ts';
import { DEEPEST, LEVELS_IN_LINE, LINE, MOST_CHARACTERS, MOST_ITEMS } from './inspect-limits.ts';
import { primitive, quote } from './primitive-text.ts';

interface Walk {
  indent: number;
  /** The level of the value inspected last. */
  level: number;
  above: unknown[];
  circular: Map<unknown, number>;
}

export function inspect(value: unknown): string {
  return inspectValue(value, 0, { indent: 0, level: 0, above: [], circular: new Map() });
}

function inspectValue(value: unknown, level: number, walk: Walk): string {
  if (typeof value === 'string') return longText(value, walk);
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return primitive(value);
  if (walk.above.includes(value)) {
    if (!walk.circular.has(value)) walk.circular.set(value, walk.circular.size + 1);
    return `[Circular *${walk.circular.get(value)}]`;
  }
  return inspectObject(value, level, walk);
}

/** Over several lines if it contains line breaks and is too long for one. */
function longText(text: string, walk: Walk): string {
  const kept = text.slice(0, MOST_CHARACTERS);
  const left = text.length - kept.length;
  const more = left > 0 ? `... ${left} more character${left > 1 ? 's' : ''}` : '';
  if (kept.length <= 16 || kept.length <= LINE - walk.indent - 4) return quote(kept) + more;
  const lines = kept.split(/(?<=\n)/).map(quote);
  return lines.join(` +\n${' '.repeat(walk.indent + 2)}`) + more;
}

/** How a kind of object is shown: what surrounds and precedes its entries. */
interface Shape {
  head: string;
  open: string;
  close: string;
  /** Set for lists, which are shown in columns if they are long. */
  list?: ArrayLike<unknown>;
  size?: number;
  entries(walk: Walk, level: number): string[];
}

function inspectObject(value: object, level: number, walk: Walk): string {
  const keys = keysOf(value);
  const shape = shapeOf(value, keys);
  if (shape.entries === NONE && keys.length === 0) return shape.head;
  if (shape.size === 0 && keys.length === 0) return `${shape.open}${shape.close}`;
  if (level > DEEPEST)
    return `[${Array.isArray(value) ? 'Array' : (nameOf(value) ?? 'Object: null prototype')}]`;
  walk.above.push(value);
  walk.level = level;
  const found = [...shape.entries(walk, level), ...keys.map((key) => property(value, key, level, walk))];
  walk.above.pop();
  const at = walk.circular.get(value);
  const mark = at === undefined ? '' : `<ref *${at}> `;
  if (found.length === 0)
    return `${mark}${shape.head === '' ? '' : `${shape.head} `}${shape.open}${shape.close}`;
  const reference = at === undefined || shape.head !== '' ? shape : { ...shape, open: mark + shape.open };
  return (shape.head === '' ? '' : mark) + joined(found, reference, level, walk);
}

const NONE = () => [];
const isIndex = (key: PropertyKey) =>
  typeof key === 'string' && /^(?:0|[1-9]\d*)$/.test(key) && Number(key) < 2 ** 32 - 1;

function keysOf(value: object): PropertyKey[] {
  const own: PropertyKey[] = Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  const indexed = Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof String;
  return [...(indexed ? own.filter((key) => !isIndex(key)) : own), ...symbols];
}

function shapeOf(value: object, keys: PropertyKey[]): Shape {
  const name = nameOf(value);
  const tag = tagOf(value, name);
  const named = (usual: string, size?: number) => {
    const count = size === undefined ? '' : `(${size})`;
    const shownName = name === undefined ? `[${usual}${count}: null prototype]` : `${name}${count}`;
    return `${shownName}${tag} `;
  };
  const braces = (open: string, entries: Shape['entries'], size?: number): Shape => ({
    ...{ head: '', open: `${open}{`, close: '}', entries },
    ...(size === undefined ? {} : { size }),
  });
  const brackets = (prefix: string, list: ArrayLike<unknown>): Shape => ({
    ...{ head: '', open: `${prefix}[`, close: ']', list, size: list.length },
    entries: (walk, level) => items(list, level, walk),
  });
  if (Array.isArray(value)) {
    const prefix = name === 'Array' && tag === '' ? '' : named('Array', value.length);
    return brackets(prefix, value);
  }
  if (value instanceof Map)
    return braces(named('Map', value.size), (walk, level) => mapEntries(value, level, walk), value.size);
  if (value instanceof Set)
    return braces(named('Set', value.size), (walk, level) => setEntries(value, level, walk), value.size);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const list = value as unknown as ArrayLike<unknown>;
    return brackets(named('TypedArray', list.length), list);
  }
  if (typeof value === 'function') return around(functionText(value));
  if (value instanceof Date)
    return around(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString());
  if (value instanceof RegExp) return around(String(value));
  if (value instanceof Error) return around(errorText(value));
  if (value instanceof Promise) return braces(named('Promise'), () => ['<pending>']);
  if (value instanceof WeakMap || value instanceof WeakSet)
    return braces(named('WeakMap'), () => ['<items unknown>']);
  const boxed = [Number, String, Boolean].find((type) => value instanceof type);
  if (boxed !== undefined) return around(`[${boxed.name}: ${primitive(value.valueOf())}]`);
  const plain =
    name === 'Object' && tag === ''
      ? ''
      : name === undefined
        ? '[Object: null prototype] '
        : `${name}${tag} `;
  return keys.length === 0
    ? { head: `${plain}{}`, open: '{', close: '}', entries: NONE }
    : braces(plain, NONE);
}

const around = (head: string): Shape => ({ head, open: '{', close: '}', entries: NONE });

function nameOf(value: object): string | undefined {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const made: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof made === 'function' && made.name !== '' && value instanceof made) return made.name;
  }
  return undefined;
}

function tagOf(value: object, name: string | undefined): string {
  const tag: unknown = (value as Record<symbol, unknown>)[Symbol.toStringTag];
  return typeof tag === 'string' && tag !== '' && tag !== name ? ` [${tag}]` : '';
}

function functionText(value: object): string {
  const text = Function.prototype.toString.call(value);
  const { name } = value as { name: unknown };
  const called = typeof name === 'string' && name !== '' ? name : undefined;
  if (/^class\b/.test(text)) {
    const base = Object.getPrototypeOf(value) as { name?: string } | null;
    return `[class ${called ?? '(anonymous)'}${base?.name ? ` extends ${base.name}` : ''}]`;
  }
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return `[${kind}${called === undefined ? ' (anonymous)' : `: ${called}`}]`;
}

function errorText(error: Error): string {
  const own =
    typeof error.stack === 'string' && error.stack !== '' ? error.stack : `${error.name}: ${error.message}`;
  const lines = own.split('\n').filter((line) => !/^\s+at /.test(line));
  return lines.length > 0 ? `[${lines.join('\n')}]` : `[${error.name}]`;
}

function items(list: ArrayLike<unknown>, level: number, walk: Walk): string[] {
  const found: string[] = [];
  for (let at = 0; at < list.length && found.length < MOST_ITEMS; at++) {
    if (!Object.hasOwn(list as object, at) && Array.isArray(list)) {
      let end = at;
      while (end < list.length && !Object.hasOwn(list, end)) end++;
      found.push(`<${end - at} empty item${end - at > 1 ? 's' : ''}>`);
      at = end - 1;
    } else found.push(nested(list[at], level, walk));
  }
  const left = list.length - MOST_ITEMS;
  return left > 0 ? [...found, `... ${left} more item${left > 1 ? 's' : ''}`] : found;
}

function nested(value: unknown, level: number, walk: Walk): string {
  walk.indent += 2;
  const text = inspectValue(value, level + 1, walk);
  walk.indent -= 2;
  return text;
}

function mapEntries(map: Map<unknown, unknown>, level: number, walk: Walk): string[] {
  return [...map].map(([key, value]) => `${nested(key, level, walk)} => ${nested(value, level, walk)}`);
}

function setEntries(set: Set<unknown>, level: number, walk: Walk): string[] {
  return [...set].map((value) => nested(value, level, walk));
}

function property(value: object, key: PropertyKey, level: number, walk: Walk): string {
  const found = Object.getOwnPropertyDescriptor(value, key);
  const { get, set } = found ?? {};
  const text =
    get || set
      ? `[${[get && 'Getter', set && 'Setter'].filter(Boolean).join('/')}]`
      : nested(found?.value, level, walk);
  const name = nameOfKey(key);
  return `${name}: ${text}`;
}

function nameOfKey(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  const text = String(key);
  if (text === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_]\w*$/.test(text) ? text : quote(text);
}

function joined(found: string[], { head, open, close, list }: Shape, level: number, walk: Walk): string {
  const before = head === '' ? '' : `${head} `;
  const output = list !== undefined && found.length > 6 ? inColumns(found, list, walk.indent) : found;
  if (walk.level - level < LEVELS_IN_LINE && output === found) {
    const start = output.length + walk.indent + open.length + head.length + 10;
    const width = output.reduce((sum, each) => sum + each.length, output.length + start);
    const line = output.join(', ');
    if (
      width + output.length <= LINE + output.length &&
      width <= LINE &&
      !line.includes('\n') &&
      !head.includes('\n')
    )
      return `${before}${open} ${line} ${close}`;
  }
  const indent = `\n${' '.repeat(walk.indent)}`;
  return `${before}${open}${indent}  ${output.join(`,${indent}  `)}${indent}${close}`;
}
