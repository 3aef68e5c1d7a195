/** One step at the shown moment: how it stands, what it gave, what it wrote. */
import {
  encodeJson,
  explain,
  isReference,
  type Json,
  listParts,
  type Reference,
  type State,
  type StepAccount,
} from '@woof/net';
import { element } from './elements.ts';
import type { LogEntry, RunData } from './run-data.ts';
import { lengthOf, signOf, valueText, wordOf } from './words.ts';

const MOST_LOGS = 500;

export function stepDetails(
  run: RunData,
  state: State,
  step: string,
  account: StepAccount,
  at: number,
): Node[] {
  const { started_at: start, ended_at: end, retries = 0, because } = state.steps.get(step) ?? {};
  const isRunning = account.status === 'running';
  const facts: [string, string][] = [
    ['status', `${signOf(account.status)} ${wordOf(account.status)}`],
    ...(because === undefined ? [] : [['because', because] as [string, string]]),
    ...(start === undefined
      ? []
      : [['time', lengthOf((isRunning || end === undefined ? at : end) - start)] as [string, string]]),
    ['runs', String(account.runs)],
    ...(retries > 0 ? [['retries', String(retries)] as [string, string]] : []),
    ...explain(state)
      .filter((reason) => reason.step === step && reason.reason !== because)
      .map(({ reason }) => ['why', reason] as [string, string]),
  ];
  const logs = run.logs.filter((line) => line.step === step && Date.parse(line.at) <= at);
  return [
    element('h3', {}, step),
    element(
      'dl',
      {},
      ...facts.flatMap(([name, said]) => [
        element('dt', {}, name),
        element('dd', name === 'status' ? { class: 'status', 'data-status': account.status } : {}, said),
      ]),
    ),
    ...(account.error === undefined ? [] : valueBlock('Error', account.error, run, 'bad')),
    ...(account.result === undefined ? [] : valueBlock('Result', account.result, run)),
    ...(logs.length === 0 ? [] : [element('h4', {}, 'Log'), logText(logs)]),
  ];
}

export function valueBlock(title: string, value: Json, run: RunData, kind = 'value'): Node[] {
  const stored = isReference(value) ? storedText(value, run) : undefined;
  const text = stored ?? valueText(value);
  const pre = element('pre', { class: kind, tabindex: '0', 'aria-label': title }, text);
  return [element('h4', {}, title), pre];
}

/** Undefined: the page does not hold all of it. */
function storedText(reference: Reference, { values }: RunData): string | undefined {
  const parts = listParts(reference);
  if (parts === undefined) return values[reference.checksum];
  const texts = parts.map((part) => (isReference(part) ? values[part.checksum] : encodeJson(part)));
  if (texts.includes(undefined)) return undefined;
  const items = texts.map((text) => text!.trim().slice(1, -1)).filter((text) => text !== '');
  return `[${items.join(',')}]`;
}

function logText(lines: readonly LogEntry[]): HTMLElement {
  const shown = lines.slice(-MOST_LOGS);
  return element(
    'pre',
    { class: 'log', tabindex: '0', 'aria-label': 'Log' },
    ...(shown.length < lines.length ? [`… ${lines.length - shown.length} earlier pieces\n`] : []),
    ...shown.map(({ stream, text }) =>
      element('span', { 'data-stream': stream }, text.endsWith('\n') ? text : `${text}\n`),
    ),
  );
}
