/**
 * How each cell type is checked, and written in other formats: one row per type. What runs need to know is in `net`.
 */
import { type CellType, isCellType } from '@woof/net';
import type { CellForm } from './cell-form.ts';
import { dataForm } from './data/data-form.ts';
import { vizForm } from './viz/viz-form.ts';

const FORMS: Readonly<Record<CellType, CellForm>> = {
  code: { jupyter: 'code' },
  md: { jupyter: 'markdown', label: '[markdown] ' },
  data: dataForm,
  test: { jupyter: 'code' },
  viz: vizForm,
  bash: { jupyter: 'code', label: '[bash] ', magics: ['bash', 'sh'] },
  raw: { jupyter: 'raw', label: '[raw] ' },
};

const UNKNOWN: CellForm = { jupyter: 'code' };

export function formOf({ type }: { type: string }): CellForm {
  return isCellType(type) ? FORMS[type] : UNKNOWN;
}

export const knownForms = Object.entries(FORMS) as [CellType, CellForm][];
