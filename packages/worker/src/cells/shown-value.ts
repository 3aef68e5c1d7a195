/** What a cell shows besides its streams, as text for whoever follows the run: values as text, figures by file name. */
import type { CellOutput, MimeBundle } from '@woof/kernels';
import { type CellTask, encodeJson } from '@woof/net';
import { figureFile } from './sidecar.ts';

const MAX_LINES = 60;
const MAX_CHARACTERS = 8000;

/** Whole lines; undefined for a stream or an error, which the log already contains. */
export function shownValue(
  cell: Pick<CellTask, 'id' | 'type'>,
  outputs: readonly CellOutput[],
  at: number,
): string | undefined {
  const output = outputs[at];
  if (output?.output_type !== 'execute_result' && output?.output_type !== 'display_data') return undefined;
  const file = figureFile(cell, outputs, at);
  return file === undefined ? `${bounded(plainText(output.data))}\n` : `figure → ${file}\n`;
}

function plainText(data: MimeBundle): string {
  const text = data['text/plain'];
  if (typeof text === 'string') return text;
  const json = data['application/json'];
  return json === undefined ? `[${Object.keys(data).join(', ')}]` : encodeJson(json, 2);
}

function bounded(text: string): string {
  const lines = text.slice(0, MAX_CHARACTERS).split('\n');
  const shown = lines.slice(0, MAX_LINES).join('\n');
  return shown.length < text.length ? `${shown}…` : shown;
}
