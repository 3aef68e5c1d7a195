/**
 * The outputs of a cell as HTML: the same for outputs that were stored when the page was built and for those that a
 * cell makes in the page. For a display, the richest form that is safe to show.
 *
 * Invariant: text is escaped; HTML passes through `clean`; pictures, including vector graphics, are data of an `img`,
 * whose content no browser runs or loads.
 */
import { encodeJson, type Json } from '@woof/net';
import { escapeHtml } from './escape-html.ts';
import type { CellError, CellOutput } from './messages.ts';

export interface OutputTools {
  /** Makes HTML passive (`allowed-html.ts`). */
  clean(html: string): string;
  /** Markdown as passive HTML. */
  markdown(text: string): string;
}

export const CHART_TYPES = /^application\/vnd\.vega(?:lite)?\.v\d+(?:\.\d+)*\+json$/;

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function outputsHtml(outputs: readonly CellOutput[], tools: OutputTools): string {
  return outputs.map((output) => outputHtml(output, tools)).join('');
}

function outputHtml(output: CellOutput, tools: OutputTools): string {
  if (output.output_type === 'error') return errorHtml(output);
  if (output.output_type === 'stream') return streamHtml(output.name, output.text);
  return `<div class="output display">${displayHtml(output.data, tools)}</div>`;
}

function streamHtml(name: string, text: string): string {
  const label = name === 'stderr' ? ' aria-label="Messages"' : '';
  return `<pre class="output stream ${name === 'stderr' ? 'stderr' : 'stdout'}"${label} tabindex="0">${escapeHtml(plain(text))}</pre>`;
}

function errorHtml({ ename, evalue, traceback }: CellError): string {
  const lines = plain(textOf(traceback as unknown as Json)).trimEnd();
  const head = `<p class="what"><strong>${escapeHtml(String(ename))}</strong>${evalue ? `: ${escapeHtml(plain(String(evalue)))}` : ''}</p>`;
  return `<div class="output error" role="group" aria-label="Error">${head}${lines ? `<pre tabindex="0">${escapeHtml(lines)}</pre>` : ''}</div>`;
}

function displayHtml(data: Record<string, Json>, tools: OutputTools): string {
  const chart = Object.keys(data).find((type) => CHART_TYPES.test(type));
  const picture = pictureHtml(data);
  if (chart !== undefined) return `<div class="chart">${picture ?? ''}</div>`;
  if (picture !== undefined) return picture;
  const html = textOf(data['text/html']);
  if (html !== '') return `<div class="html">${tools.clean(html)}</div>`;
  const markdown = textOf(data['text/markdown']);
  if (markdown !== '') return `<div class="prose">${tools.markdown(markdown)}</div>`;
  const text = textOf(data['text/plain']) || textOf(data['text/latex']) || jsonText(data['application/json']);
  return `<pre class="value" tabindex="0">${escapeHtml(plain(text))}</pre>`;
}

function pictureHtml(data: Record<string, Json>): string | undefined {
  const alt = escapeHtml(textOf(data['text/plain']).slice(0, 200) || 'Image made by the cell');
  const svg = textOf(data['image/svg+xml']);
  if (svg !== '')
    return `<img class="picture" alt="${alt}"${sizeOfSvg(svg)} src="data:image/svg+xml;base64,${base64Of(svg)}">`;
  const type = PICTURES.find((each) => textOf(data[each]) !== '');
  if (type === undefined) return undefined;
  const base64 = textOf(data[type]).replaceAll(/[^A-Za-z0-9+/=]/g, '');
  return `<img class="picture" alt="${alt}"${sizeOfPng(type, base64)} src="data:${type};base64,${base64}">`;
}

/** So that the page does not shift when the picture appears. */
function sizeOfSvg(svg: string): string {
  const [, tag = ''] = /<svg\b([^>]*)>/i.exec(svg) ?? [];
  const size = (name: string) =>
    Number(new RegExp(String.raw`\b${name}="(\d+(?:\.\d+)?)(?:px)?"`).exec(tag)?.[1] ?? 0);
  return sizes(size('width'), size('height'));
}

function sizeOfPng(type: string, base64: string): string {
  if (type !== 'image/png' || base64.length < 32) return '';
  const head = decoded(base64.slice(0, 32));
  const number = (at: number) =>
    [0, 1, 2, 3].reduce((sum, next) => sum * 256 + head.charCodeAt(at + next), 0);
  return sizes(number(16), number(20));
}

/** Empty if it is not base64. */
function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

function sizes(width: number, height: number): string {
  const good = width > 0 && height > 0 && width < 20_000 && height < 20_000;
  return good ? ` width="${Math.round(width)}" height="${Math.round(height)}"` : '';
}

function base64Of(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Jupyter also writes texts as lists of lines. */
function textOf(value: Json | undefined): string {
  if (Array.isArray(value))
    return value.map(String).join(value.some((line) => String(line).endsWith('\n')) ? '' : '\n');
  return typeof value === 'string' ? value : '';
}

const jsonText = (value: Json | undefined) => (value === undefined ? '' : encodeJson(value, 2));

/** Terminal colours mean nothing here; a line that was overwritten shows its last state. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  const bare = text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  return bare.includes('\r') ? bare.split('\n').map(lastState).join('\n') : bare;
}

function lastState(line: string): string {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  return whole.slice(whole.lastIndexOf('\r') + 1);
}
