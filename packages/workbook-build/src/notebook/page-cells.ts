/** The cells of a notebook, as the page knows them. */
import { formOf } from '@woof/documents';
import { type CellTask, type Step, traitsOf } from '@woof/net';
import { type PageCell, type PageModel, packCells } from '@woof/workbook-page';
import { taskOf } from './live-cells.ts';

export function pageCell(task: CellTask, stored: ReadonlyMap<string, string>): PageCell {
  const { id, type, language, session, body, needs, value, timeoutSec } = task;
  const why =
    stored.get(id) ?? (isReadOnly(task) ? 'its data is not JSON, and the page reads only JSON' : undefined);
  return {
    ...{ id, type, language, session, body, needs },
    ...(value === undefined ? {} : { value }),
    ...(timeoutSec === undefined ? {} : { timeoutSec }),
    ...(why === undefined ? {} : { stored: why }),
  };
}

/** Without live cells, their dependencies are not needed. */
export function chartCells(steps: readonly Step[], charts: PageModel['charts']): PageModel['cells'] {
  const drawn = steps.map(taskOf).filter(({ id }) => Object.hasOwn(charts, id));
  const stored = new Map(drawn.map(({ id }) => [id, 'this page was built without live cells']));
  return packCells(drawn.map((task) => ({ ...pageCell(task, stored), body: '', needs: [] })));
}

/** A page has no parser for other values. */
function isReadOnly(cell: CellTask): boolean {
  return traitsOf(cell).isValue && !formOf(cell).isJson?.(cell.body);
}
