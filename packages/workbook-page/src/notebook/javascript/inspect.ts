/**
 * Values as text, in the form in which Node shows them: a cell prints the same in a page as from the command line.
 * What only Node can see (the state of promises, the entries of weak maps) is left open.
 */
const LINE = 80;
const DEEPEST = 2;
const MOST_ITEMS = 1000;
const MOST_CHARACTERS = 10_000;
/** So many levels may stand in one line. */
const LEVELS_IN_LINE = 3;

interface Walk {
  indent: number;
  /** The level of what was last looked at. */
  level: number;
  above: unknown[];
  circular: Map<unknown, number>;
}

export function inspect(value: unknown): string {
  return inspectValue(value, 0, { indent: 0, level: 0, above: [], circular: new Map() });
}

/** As `console.log` does: `%s` and its like, then all that is left, with spaces between. */
export function formatAll(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== 'string') return values.map(shown).join(' ');
  if (rest.length === 0) return first;
  const text = first.replaceAll(/%[sdifjoOc%]/g, (sign) => {
    if (sign === '%%') return '%';
    return rest.length === 0 ? sign : fill(sign, rest.shift());
  });
  return [text, ...rest.map(shown)].join(' ');
}

const shown = (value: unknown) => (typeof value === 'string' ? value : inspect(value));

function fill(sign: string, value: unknown): string {
  if (sign === '%c') return '';
  if (sign === '%j') return JSON.stringify(value) ?? 'undefined';
  if (sign === '%o' || sign === '%O') return inspect(value);
  if (sign === '%s')
    return typeof value === 'object' && value !== null ? inspect(value) : primitive(value, false);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return 'NaN';
  if (sign === '%d') return typeof value === 'object' ? 'NaN' : numberText(Number(value));
  return numberText(sign === '%i' ? Number.parseInt(String(value), 10) : Number.parseFloat(String(value)));
}

const numberText = (value: number) => (Object.is(value, -0) ? '-0' : String(value));

function primitive(value: unknown, quoted = true): string {
  if (typeof value === 'string') return quoted ? quote(value) : value;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return numberText(value);
  return String(value);
}

const ESCAPES: Record<string, string> = {
  '\b': String.raw`\b`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\f': String.raw`\f`,
  '\r': String.raw`\r`,
  '\v': String.raw`\v`,
  '\\': String.raw`\\`,
};

/** Control characters, backslashes, single quotes and halves of pairs. */
const SPECIAL = /[\p{Cc}\p{Cs}\\']/gu;

function quote(text: string): string {
  const mark = !text.includes("'")
    ? "'"
    : !text.includes('"')
      ? '"'
      : text.includes('`') || text.includes('${')
        ? "'"
        : '`';
  const escaped = text.replaceAll(SPECIAL, (char) => {
    if (char === "'") return mark === "'" ? String.raw`\'` : char;
    const code = char.charCodeAt(0);
    const hex = code.toString(16);
    return ESCAPES[char] ?? (code > 255 ? `\\u${hex}` : `\\x${hex.toUpperCase().padStart(2, '0')}`);
  });
  return mark + escaped + mark;
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

/** Over several lines where it has some and is too long for one. */
function longText(text: string, walk: Walk): string {
  const kept = text.slice(0, MOST_CHARACTERS);
  const left = text.length - kept.length;
  const more = left > 0 ? `... ${left} more character${left > 1 ? 's' : ''}` : '';
  if (kept.length <= 16 || kept.length <= LINE - walk.indent - 4) return quote(kept) + more;
  const lines = kept.split(/(?<=\n)/).map(quote);
  return lines.join(` +\n${' '.repeat(walk.indent + 2)}`) + more;
}

/** How a kind of object is shown: what stands around and before its entries. */
interface Shape {
  head: string;
  open: string;
  close: string;
  /** Of lists, which stand in columns where they are long. */
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
  const output = list !== undefined && found.length > 6 ? inColumns(found, list, walk) : found;
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

/** Characters that take two places. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/gu;
const widthOf = (text: string) => [...text].length + (text.match(WIDE)?.length ?? 0);

/** Long lists of short entries as a table: about two and a half times as wide as it is high. */
function inColumns(found: string[], list: ArrayLike<unknown>, walk: Walk): string[] {
  const cut = list.length > MOST_ITEMS ? found.length - 1 : found.length;
  const widths = found.slice(0, cut).map(widthOf);
  const widest = Math.max(...widths) + 2;
  const total = widths.reduce((sum, width) => sum + width + 2, 0);
  if (widest * 3 + walk.indent >= LINE || !(total / widest > 5 || widest <= 8)) return found;
  const typical = Math.max(widest - 3 - Math.sqrt(widest - total / found.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * typical * cut) / typical),
    Math.floor((LINE - walk.indent) / widest),
    LEVELS_IN_LINE * 4,
    15,
  );
  if (columns <= 1) return found;
  const room = Array.from(
    { length: columns },
    (_, column) => Math.max(...widths.filter((_width, at) => at % columns === column)) + 2,
  );
  const numbers = found.every((_, at) => typeof list[at] === 'number' || typeof list[at] === 'bigint');
  const rows: string[] = [];
  for (let at = 0; at < cut; at += columns) {
    const row = found.slice(at, Math.min(at + columns, cut));
    rows.push(
      row
        .map((text, column) =>
          padded(text, { isLast: column === row.length - 1, room: room[column]!, numbers }),
        )
        .join(''),
    );
  }
  return cut < found.length ? [...rows, found[cut]!] : rows;
}

function padded(
  text: string,
  { isLast, room, numbers }: { isLast: boolean; room: number; numbers: boolean },
): string {
  const missing = text.length - widthOf(text);
  if (!numbers) return isLast ? text : `${text}, `.padEnd(room + missing);
  return isLast ? text.padStart(room + missing - 2) : `${text}, `.padStart(room + missing);
}
