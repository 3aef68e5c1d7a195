/** Advice for a cell that failed because a name was not defined: which cell defines it, and how to get it. */
import type { CellError } from '@woof/kernels';
import { type CellTask, isBindableName, memberOf, nameFor, ofWoof, traitsOf } from '@woof/net';
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
  if (name === undefined) return undefined;
  const others = [...cells.values()].filter(({ id }) => id !== cell.id);
  const data = others.find(
    (other) => traitsOf(other).isValue && !isBindableName(other.id) && isMeant(name, other.id, cell.body),
  );
  if (data) return `"${data.id}" is the id of a data cell: write ${ofWoof(data.id, cell.language)}`;
  const giver = others.find(
    (other) => other.session !== cell.session && traitsOf(other).choosesLanguage && assigns(other, name),
  );
  if (giver === undefined) return undefined;
  const where = `it is a variable of cell "${giver.id}", whose language is ${giver.language}`;
  return `${where}: add ${giver.id} to deps and write ${memberOf(giver.id, name, cell.language)}`;
}

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
