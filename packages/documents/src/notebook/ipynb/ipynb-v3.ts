/** Jupyter notebooks of format 3 as format 4: worksheets become one list, old names become new ones. */
import { isObject, type Json, type JsonObject } from '@woof/net';

const MIME_TYPES = new Map([
  ['text', 'text/plain'],
  ['html', 'text/html'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['latex', 'text/latex'],
  ['json', 'application/json'],
  ['javascript', 'application/javascript'],
  ['pdf', 'application/pdf'],
]);

export function upgradeV3(file: JsonObject): JsonObject {
  const { worksheets, ...rest } = file;
  const sheets = Array.isArray(worksheets) ? worksheets.filter(isObject) : [];
  const cells = sheets.flatMap((sheet) => (Array.isArray(sheet.cells) ? sheet.cells : []));
  const language = cells.find((cell) => isObject(cell) && typeof cell.language === 'string');
  const metadata = isObject(rest.metadata) ? rest.metadata : {};
  const kept = sheets.flatMap(({ cells: _cells, ...sheet }) => (isEmpty(sheet.metadata) ? [] : [sheet]));
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { worksheets: kept }),
    metadata: isObject(language)
      ? { language_info: { name: language.language as string }, ...metadata }
      : metadata,
    cells: cells.map((cell) => (isObject(cell) ? upgradeCell(cell) : cell)),
  };
}

const isEmpty = (value: Json | undefined) => !isObject(value) || Object.keys(value).length === 0;

function upgradeCell(cell: JsonObject): JsonObject {
  const type = cell.cell_type;
  if (type === 'code') return upgradeCode(cell);
  if (type === 'heading') return upgradeHeading(cell);
  return type === 'html' ? { ...cell, cell_type: 'markdown' } : cell;
}

function upgradeCode(cell: JsonObject): JsonObject {
  const { input, prompt_number, language: _language, collapsed, outputs, ...rest } = cell;
  const metadata = isObject(rest.metadata) ? rest.metadata : {};
  return {
    ...rest,
    metadata: typeof collapsed === 'boolean' ? { collapsed, ...metadata } : metadata,
    source: input ?? rest.source ?? '',
    execution_count: prompt_number ?? null,
    outputs: Array.isArray(outputs)
      ? outputs.map((output) => (isObject(output) ? upgradeOutput(output) : output))
      : (outputs ?? []),
  };
}

function upgradeHeading(cell: JsonObject): JsonObject {
  const { level, source, ...rest } = cell;
  const text = Array.isArray(source) ? source.join('') : String(source ?? '');
  const depth = typeof level === 'number' && level >= 1 && level <= 6 ? Math.floor(level) : 1;
  const title = text.split('\n').join(' ');
  return { ...rest, cell_type: 'markdown', source: `${'#'.repeat(depth)} ${title}` };
}

function upgradeOutput(output: JsonObject): JsonObject {
  const { output_type: type, ...rest } = output;
  if (type === 'pyerr') return { output_type: 'error', ...rest };
  if (type === 'stream') {
    const { stream, ...others } = rest;
    return { output_type: 'stream', name: stream ?? 'stdout', ...others };
  }
  if (type !== 'pyout' && type !== 'display_data') return output;
  const { prompt_number, metadata, ...fields } = rest;
  const data = Object.entries(fields).map(([key, value]) => [MIME_TYPES.get(key) ?? key, value]);
  return {
    output_type: type === 'pyout' ? 'execute_result' : type,
    ...(type === 'pyout' ? { execution_count: prompt_number ?? null } : {}),
    data: Object.fromEntries(data),
    metadata: isObject(metadata) ? metadata : {},
  };
}
