/** The page of a kind, in Markdown: a function of its schema and its manual, even for a kind from another package. */
import { encodeJson, type FieldSchema, isRetryable, type ToolSchema } from '@woof/net';
import type { ErrorRow, Prose, Table, ToolManual } from './tool-manual.ts';

const WIDTH = 120;
/** What stays on one line: a word, with all code in it. */
const UNBROKEN = /(?:`[^`]*`|[^\s`])+/g;
const TYPES: Record<FieldSchema['type'], string> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  object: 'map',
  list: 'list',
  any: 'any',
};

export function toolPage(schema: ToolSchema, manual?: ToolManual): string {
  const parts = [
    `# \`${schema.kind}\``,
    ...written(manual?.about ?? [schema.summary]),
    ...section('Fields', [...fieldTable(schema), ...needsOf(schema), ...traitsOf(schema)]),
    ...section('Details', written(manual?.details ?? [])),
    ...section('Result', written(manual?.result ?? [])),
    ...section('Errors', manual === undefined ? [] : errorsOf(manual.errors)),
    ...section('Example', manual === undefined ? [] : exampleOf(manual)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** One row per kind, for the index. */
export function kindTable(schemas: readonly ToolSchema[]): string {
  const rows = schemas.map(({ kind, summary }) => [`[\`${kind}\`](tools/${kind}.md)`, summary]);
  return tableOf([['Kind', 'What it does'], ...rows]);
}

function section(title: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`## ${title}`, ...parts];
}

function fieldTable({ fields, needs = [] }: ToolSchema): string[] {
  const names = Object.keys(fields);
  if (names.length === 0) return [];
  const rows = names
    .filter((name) => fields[name]!.sameAs === undefined)
    .map((name) => {
      const { type, doc, unset } = fields[name]!;
      const all = [name, ...names.filter((other) => fields[other]!.sameAs === name)];
      const needed = needs.some((group) => group.every((field) => all.includes(field)));
      return [all.map(code).join(', '), TYPES[type], needed ? 'required' : (unset ?? ''), doc];
    });
  return [tableOf([['Field', 'Type', 'Default', 'Meaning'], ...rows])];
}

/** Groups of fields of which one is required, which a single row cannot express. */
function needsOf({ fields, needs = [] }: ToolSchema): string[] {
  const mains = needs.map((group) => [...new Set(group.map((name) => fields[name]?.sameAs ?? name))]);
  return mains
    .filter((group) => group.length > 1)
    .map((group) => `One of these is required: ${group.map(code).join(', ')}.`);
}

function traitsOf({ runsCode, pure, defaults }: ToolSchema): string[] {
  const said = [
    ...(runsCode ? ['`spec.io_policy` sets what the task may do.'] : []),
    ...(pure ? ['The task only computes, so Woof may compute it again after a crash.'] : []),
    ...(defaults ? [`\`spec\` has these defaults: \`${JSON.stringify(defaults)}\`.`] : []),
  ];
  return said.length === 0 ? [] : [said.join(' ')];
}

function errorsOf(rows: readonly ErrorRow[]): string[] {
  const common = '[errors that every kind has](../tools.md#errors)';
  if (rows.length === 0) return [`Only the ${common}.`];
  const cells = rows.map((row) => [row.kinds.map(code).join(', '), row.when, retryableOf(row)]);
  return [`In addition to the ${common}:`, tableOf([['Error kind', 'When', 'Retryable'], ...cells])];
}

function retryableOf({ kinds, retryable }: ErrorRow): string {
  if (retryable !== undefined) return retryable;
  const able = kinds.filter(isRetryable);
  if (able.length === kinds.length) return 'yes';
  return able.length === 0 ? 'no' : able.map(code).join(', ');
}

function exampleOf({ example, gives }: ToolManual): string[] {
  const fenced = (language: string, text: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
  if (gives === undefined) return [fenced('yaml', example)];
  const given = gives.workload ? `With the workload \`${encodeJson(gives.workload)}\`, the` : 'The';
  const verb = gives.partly ? 'includes' : 'is';
  return [fenced('yaml', example), `${given} result ${verb}:`, fenced('json', encodeJson(gives.result, 2))];
}

const written = (prose: Prose): string[] =>
  prose.map((part) => (typeof part === 'string' ? wrapped(part) : tableOf((part as Table).table)));

function tableOf([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(inCell).join(' | ')} |`.replaceAll(/ {2,}\|/g, ' |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A bar or a line break would end the table cell. */
const inCell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, '\\|').replaceAll(/\s*\n\s*/g, ' ');

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.match(UNBROKEN) ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}

const code = (text: string): string => `\`${text}\``;
