/** Advice for a cell that failed because a name was not defined: which cell defines it, and how to get it. */
import type { CellError } from '@woof/kernels';
import { type CellTask, isBindableName, isObject, memberOf, nameFor, ofWoof, traitsOf } from '@woof/net';
import type { PlanCells } from './plan-cells.ts';

/** How each language reports it. */
const MISSING = [/^name '([^']+)' is not defined/, /^([\w$]+) is not defined/, /object '([^']+)' not found/];

export function missingName(
  cell: CellTask,
  cells: PlanCells,
  error: CellError | undefined,
): string | undefined {
  const name = MISSING.map((pattern) => pattern.exec(error?.evalue ?? '')?.[1]).find(
    (each) => each !== undefined,
  );
  if (name === undefined) return missingKey(cell, cells, error) ?? missingModule(cell, error);
  const others = [...cells.values()].filter(({ id }) => id !== cell.id);
  const data = others.find(
    (other) => traitsOf(other).isValue && !isBindableName(other.id) && isMeant(name, other.id, cell.body),
  );
  if (data)
    return `"${data.id}" is the id of a data cell: ${orDepend(cell, data)}write ${ofWoof(data.id, cell.language)}`;
  const outside = others.find((other) => traitsOf(other).isValue && other.id === name);
  if (outside) return outsideDeps(cell, outside);
  const giver = others.find(
    (other) => other.session !== cell.session && traitsOf(other).choosesLanguage && assigns(other, name),
  );
  if (giver === undefined) return undefined;
  const where = `it is a variable of cell "${giver.id}", whose language is ${giver.language}`;
  return `${where}: add ${giver.id} to deps and write ${memberOf(giver.id, name, cell.language)}`;
}

/** For `woof["days"]`, which exists only if the cell depends on the data. */
function missingKey(cell: CellTask, cells: PlanCells, error: CellError | undefined): string | undefined {
  const key = error?.ename === 'KeyError' ? /^'(.+)'$/.exec(error.evalue)?.[1] : undefined;
  const data = key === undefined ? undefined : cells.get(key);
  if (data === undefined || !traitsOf(data).isValue) return undefined;
  const reads = [`woof["${data.id}"]`, `woof['${data.id}']`];
  return reads.some((read) => cell.body.includes(read)) ? outsideDeps(cell, data) : undefined;
}

/** A container, and the kernel of another program, bring their own packages. */
function missingModule({ env, kernel }: CellTask, error: CellError | undefined): string | undefined {
  const isOurs = kernel === undefined && !(isObject(env) && env.container !== undefined);
  if (error?.ename !== 'ModuleNotFoundError' || !isOurs) return undefined;
  return 'to install a package, list it in env.requirements of the header and run with --install';
}

function outsideDeps(cell: CellTask, { id }: CellTask): string | undefined {
  if (cell.needs.includes(id)) return undefined;
  return `"${id}" is the id of a data cell that this cell does not depend on: add ${id} to deps`;
}

const orDepend = (cell: CellTask, { id }: CellTask) =>
  cell.needs.includes(id) ? '' : `add ${id} to deps and `;

/** True if the text reads `my-data` and the language saw the name `my`, or `my_data`. */
function isMeant(name: string, id: string, body: string): boolean {
  if (name === nameFor(id)) return true;
  return /^[.-]/.test(id.slice(name.length)) && id.startsWith(name) && body.includes(id);
}

function assigns({ body }: CellTask, name: string): boolean {
  const plain = name.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(
    String.raw`(?:^|[;\n])\s*(?:(?:const|let|var|def|class|function)\s+)?${plain}\s*(?:=(?!=)|<-|\(|:)`,
  ).test(body);
}
