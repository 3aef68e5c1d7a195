/** What a cell shows besides its streams, as text for whoever follows the run: values as text, figures by their file. */
import type { CellOutput, MimeBundle } from '@woof/kernels';
import { type CellTask, encodeJson } from '@woof/net';
import { fileOf, isPicture } from './sidecar.ts';

const MAX_LINES = 60;
const MAX_CHARACTERS = 8000;

/** Whole lines; undefined of a stream or an error, which the log has already. */
export function shownValue(cell: Pick<CellTask, 'id' | 'type'>, output: CellOutput): string | undefined {
  if (output.output_type !== 'execute_result' && output.output_type !== 'display_data') return undefined;
  const { data } = output;
  const picture = Object.keys(data).find(isPicture);
  const file = picture === undefined ? undefined : fileOf(cell, picture, data[picture]);
  return file === undefined ? `${bounded(plainText(data))}\n` : `figure → ${file}\n`;
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
