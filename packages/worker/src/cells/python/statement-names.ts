/** The names that statements of Python bind: heads of blocks, and functions with their locals. */
import { importOf } from './python-imports.ts';
import { depths, namesOf, type PythonStatement, split, targetsOf } from './python-statements.ts';
import type { PythonToken } from './python-tokens.ts';

/** Managers that let every error through: what follows the block runs only after all of it. */
const SURE_MANAGERS = new Set(
  `open StringIO BytesIO ZipFile ExcelWriter NamedTemporaryFile TemporaryDirectory ThreadPoolExecutor option_context
   rc_context errstate printoptions localcontext catch_warnings`.split(/\s+/),
);

/** Whether a block runs once and to its end, if the cell goes on. */
export function isSure(lead: string, tokens: readonly PythonToken[]): boolean {
  const managers = lead === 'with' ? split(tokens.slice(1), ',') : [];
  const callee = (item: PythonToken[]) => item[item.findIndex(({ text }) => text === '(') - 1]?.text ?? '';
  return managers.length > 0 && managers.every((item) => SURE_MANAGERS.has(callee(item)));
}

/** The names that the head of a `for` or `with` binds for its block, and what of it is read. */
export function headTargets(
  lead: string,
  tokens: readonly PythonToken[],
): { names: string[]; rest: PythonToken[] } {
  return lead === 'for' ? forTargets(tokens) : withTargets(tokens);
}

function forTargets(tokens: readonly PythonToken[]): { names: string[]; rest: PythonToken[] } {
  const at = wordAt('in', tokens);
  const names = at === -1 ? undefined : targetsOf(tokens.slice(1, at));
  return names ? { names, rest: tokens.slice(at + 1) } : { names: [], rest: tokens.slice(1) };
}

function withTargets(tokens: readonly PythonToken[]): { names: string[]; rest: PythonToken[] } {
  const names: string[] = [];
  const rest: PythonToken[] = [];
  for (const item of split(tokens.slice(1), ',')) {
    const at = wordAt('as', item);
    const found = at > 0 ? targetsOf(item.slice(at + 1)) : undefined;
    names.push(...(found ?? []));
    rest.push(...(found ? item.slice(0, at) : item), { kind: 'sign', text: ',' });
  }
  return { names, rest };
}

/** Where a word stands that is in no bracket; -1 where it does not. */
function wordAt(word: string, tokens: readonly PythonToken[]): number {
  const levels = depths(tokens);
  return tokens.findIndex(({ kind, text }, i) => kind === 'name' && text === word && levels[i] === 0);
}

/** The parameters of a function, and what of its head is read. */
export function parametersOf(tokens: readonly PythonToken[]): { parameters: string[]; rest: PythonToken[] } {
  const parameters: string[] = [];
  const rest: PythonToken[] = [];
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'sign' && ')]}'.includes(token.text)) depth--;
    const isFirst = depth === 1 && ['(', ',', '*', '**'].includes(tokens[i - 1]!.text);
    if (token.kind === 'name' && isFirst) parameters.push(token.text);
    else rest.push(token);
    if (token.kind === 'sign' && '([{'.includes(token.text)) depth++;
  }
  return { parameters, rest };
}

/** Names that a function binds; `shared` are those that it declares not to be its own. */
export function collectLocals(
  block: readonly PythonStatement[],
  locals: Set<string>,
  shared: Set<string>,
): void {
  for (const { tokens, block: inner } of block) {
    const lead = tokens[0]?.text ?? '';
    for (const name of boundBy(lead, tokens, inner !== undefined)) locals.add(name);
    if (lead === 'global' || lead === 'nonlocal')
      for (const name of namesOf(tokens.slice(1))) shared.add(name);
    if (inner && lead !== 'def' && lead !== 'class') collectLocals(inner, locals, shared);
  }
}

function boundBy(lead: string, tokens: readonly PythonToken[], isCompound: boolean): string[] {
  if (!isCompound) {
    const imported = importOf(tokens);
    return (
      imported?.names ??
      split(tokens, '=')
        .slice(0, -1)
        .flatMap((part) => targetsOf(part) ?? [])
    );
  }
  if (lead === 'def' || lead === 'class') return [tokens[1]!.text];
  if (lead === 'except') return tokens.at(-2)?.text === 'as' ? namesOf(tokens.slice(-1)) : [];
  return lead === 'for' || lead === 'with' ? headTargets(lead, tokens).names : [];
}
