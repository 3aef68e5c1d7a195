/** A data cell: in Jupyter it binds its name, as the kernel does. */
import type { CellForm } from '../cell-form.ts';
import { jsonOfLiteral, pythonLiteral } from '../ipynb/python-literal.ts';
import { isBindable } from '../python/bindable-name.ts';
import { dataValue, isJson } from './data-value.ts';
import { lintData } from './lint-data.ts';

export const dataForm: CellForm = {
  jupyter: 'code',
  lint: lintData,
  value: dataValue,
  isJson,
  python: { write: dataCode, read: readData },
};

function dataCode(id: string, body: string): string {
  const value = dataValue(body);
  return value === undefined ? body : `${targetOf(id)}${pythonLiteral(body, value)}`;
}

function targetOf(id: string): string {
  return isBindable(id) ? `${id} = woof["${id}"] = ` : `woof["${id}"] = `;
}

function readData(code: string, id: string): { type: 'code' | 'data'; body: string } {
  const target = targetOf(id);
  if (!code.startsWith(target)) return { type: 'data', body: code };
  const json = jsonOfLiteral(code.slice(target.length));
  return json === undefined ? { type: 'code', body: code } : { type: 'data', body: json };
}
