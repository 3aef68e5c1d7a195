/**
 * The names that Python code provides to other cells and the names that it takes from them. A heuristic that would
 * rather miss a name than invent one: a name that the code binds anywhere, in any scope, is never one that it takes.
 */
import type { CellNames } from '../cell-names.ts';
import { depthChange, type PythonStatement, pythonStatements } from './python-statements.ts';
import { type PythonToken, pythonTokens } from './python-tokens.ts';
import { IGNORED_NAMES, KEYWORDS, OPENING_NAMES } from './python-words.ts';

/** A longer statement is data; analysing it would take time and find little. */
const MAX_TOKENS = 5000;

/** `undefined` if the code is not plain Python. */
export function pythonNames(code: string): CellNames | undefined {
  const tokens = pythonTokens(code);
  if (!tokens) return undefined;
  const finder = new NameFinder();
  for (const statement of pythonStatements(tokens)) finder.look(statement);
  return finder.names();
}

class NameFinder {
  readonly #defined = new Set<string>();
  readonly #bound = new Set<string>();
  readonly #reads = new Map<string, number>();
  #isOpen = false;

  names(): CellNames {
    const used = [...this.#reads].filter(([name]) => !this.#bound.has(name) && !IGNORED_NAMES.has(name));
    return { defined: this.#defined, used: new Map(used), isOpen: this.#isOpen };
  }

  look({ tokens, isTop, isDeferred }: PythonStatement): void {
    if (tokens.length > MAX_TOKENS) {
      this.#isOpen = true;
      return;
    }
    const lead = tokens[0]!.text === 'async' ? (tokens[1]?.text ?? '') : tokens[0]!.text;
    const roles = rolesOf(tokens, lead);
    for (const [i, { text, at }] of tokens.entries()) {
      const role = roles[i];
      if (role === 'bound' || role === 'local') this.#bound.add(text);
      if ((role === 'bound' && isTop) || (role === 'local' && lead === 'global')) this.#defined.add(text);
      if (role === 'read' && OPENING_NAMES.has(text)) this.#isOpen = true;
      if (role === 'read' && !isDeferred && !this.#reads.has(text)) this.#reads.set(text, at);
      if (text === '*' && lead === 'from' && tokens[i - 1]?.text === 'import') this.#isOpen = true;
    }
  }
}

type Role = 'read' | 'bound' | 'local' | 'none';

function rolesOf(tokens: readonly PythonToken[], lead: string): Role[] {
  const roles = tokens.map((token, i): Role => {
    const isName = token.kind === 'name' && !KEYWORDS.has(token.text);
    return isName && tokens[i - 1]?.text !== '.' ? 'read' : 'none';
  });
  if (lead === 'import' || lead === 'from') return importRoles(tokens, roles, lead);
  if (lead === 'case' || lead === 'global' || lead === 'nonlocal') {
    return roles.map((role) => (role === 'read' ? 'local' : role));
  }
  const marker = new RoleMarker(tokens, roles);
  marker.keywords(lead === 'def' ? 1 : 0);
  if (lead === 'def' || lead === 'class') marker.definition(lead);
  else marker.assignments();
  marker.words(lead);
  return roles;
}

/** An import binds the last word of each item, or the first of a dotted path. */
function importRoles(tokens: readonly PythonToken[], roles: Role[], lead: string): Role[] {
  const start = lead === 'from' ? tokens.findIndex(({ text }) => text === 'import') : 0;
  return roles.map((role, i) => {
    if (role !== 'read' || i < start) return 'none';
    const isRenamed =
      tokens.slice(i + 1, i + 40).find(({ text }) => text === ',' || text === 'as')?.text === 'as';
    return isRenamed ? 'none' : 'bound';
  });
}

class RoleMarker {
  readonly #depths: number[] = [];

  constructor(
    readonly tokens: readonly PythonToken[],
    readonly roles: Role[],
  ) {
    let depth = 0;
    for (const { kind, text } of tokens) {
      const change = kind === 'sign' ? depthChange(text) : 0;
      if (change < 0) depth += change;
      this.#depths.push(depth);
      if (change > 0) depth += change;
    }
  }

  #mark(i: number, role: Role): void {
    if (this.roles[i] === 'read') this.roles[i] = role;
  }

  /** `name=` inside brackets is a keyword argument; in the brackets of a `def`, a default. */
  keywords(below: number): void {
    for (const [i, { text }] of this.tokens.entries()) {
      if (text === '=' && this.#depths[i]! > below) this.#mark(i - 1, 'none');
    }
  }

  definition(lead: string): void {
    const name = this.tokens.findIndex(({ text }) => text === lead) + 1;
    this.#mark(name, 'bound');
    if (lead === 'class') return;
    for (let i = name + 1; i < this.tokens.length; i++) {
      const isFirst = ['(', ',', '*', '**', '['].includes(this.tokens[i - 1]!.text);
      if (this.#depths[i] === 1 && isFirst) {
        // A default made it look like a keyword argument.
        if (this.tokens[i]!.kind === 'name') this.roles[i] = 'local';
      }
    }
  }

  assignments(): void {
    const lambda = this.tokens.findIndex(({ text }) => text === 'lambda');
    const limit = lambda === -1 ? this.tokens.length : lambda;
    const isLevel = (sign: string) => (token: PythonToken, i: number) =>
      token.text === sign && this.#depths[i] === 0 && i < limit;
    const equals = this.tokens.flatMap((token, i) => (isLevel('=')(token, i) ? [i] : []));
    const colon = this.tokens.findIndex(isLevel(':'));
    const isAnnotated = colon === 1 || (colon > 0 && equals.length > 0 && colon < equals[0]!);
    const last = equals.at(-1) ?? (isAnnotated ? colon : 0);
    const end = isAnnotated ? Math.min(colon, last) : last;
    for (let i = 0; i < end; i++) if (this.#isTarget(i)) this.#mark(i, 'bound');
  }

  /** A name that is alone between commas, brackets and the equals sign, and not in an index or call. */
  #isTarget(i: number): boolean {
    const next = this.tokens[i + 1]?.text;
    if (next === '.' || next === '(' || next === '[') return false;
    for (let at = i, depth = this.#depths[i]!; depth > 0 && at >= 0; at--) {
      const isOpening = '([{'.includes(this.tokens[at]!.text) && this.#depths[at] === depth - 1;
      if (!isOpening) continue;
      const before = this.tokens[at - 1];
      if (before && isSubscripted(before)) return false;
      depth--;
    }
    return true;
  }

  /** Names that keywords bind: `for … in`, `as`, `lambda`, and the sign `:=`. */
  words(lead: string): void {
    for (const [i, { text }] of this.tokens.entries()) {
      if (text === 'for') this.#forTargets(i);
      else if (text === 'as') this.#asTarget(i);
      else if (text === ':=') this.#mark(i - 1, 'bound');
      else if (text === 'lambda') this.#lambda(i);
    }
    if (lead === 'match' && this.tokens.at(-1)?.text === ':') this.#mark(0, 'none');
  }

  #forTargets(from: number): void {
    const depth = this.#depths[from]!;
    for (let i = from + 1; i < this.tokens.length; i++) {
      if (this.tokens[i]!.text === 'in' && this.#depths[i] === depth) return;
      if (this.#isTarget(i) || depth > 0) this.#mark(i, depth > 0 ? 'local' : 'bound');
    }
  }

  #asTarget(from: number): void {
    const depth = this.#depths[from]!;
    for (let i = from + 1; i < this.tokens.length; i++) {
      const { text } = this.tokens[i]!;
      if ((text === ',' || text === ':') && this.#depths[i] === depth) return;
      if (this.#isTarget(i)) this.#mark(i, 'bound');
    }
  }

  /** Its parameters are local, and its body runs when it is called. */
  #lambda(from: number): void {
    const depth = this.#depths[from]!;
    let isBody = false;
    for (let i = from + 1; i < this.tokens.length && this.#depths[i]! >= depth; i++) {
      const { text } = this.tokens[i]!;
      const isLevel = this.#depths[i] === depth;
      if (isBody && isLevel && text === ',') return;
      if (isLevel && text === ':') isBody = true;
      const isParameter = !isBody && isLevel && ['lambda', ',', '*', '**'].includes(this.tokens[i - 1]!.text);
      if (isParameter && this.tokens[i]!.kind === 'name') this.roles[i] = 'local';
      else this.#mark(i, 'none');
    }
  }
}

/** Whether a bracket after this token is a call or an index. */
function isSubscripted({ kind, text }: PythonToken): boolean {
  return kind === 'string' || (kind === 'name' && !KEYWORDS.has(text)) || text === ')' || text === ']';
}
