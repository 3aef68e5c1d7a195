/**
 * Builds one page that replays a finished run. The page's data are the files of its own source bundle, so it contains
 * the log only once, and `woof unbundle` returns it.
 */
import { drawPlan } from '@woof/documents/drawing';
import { failurePlace, inDocument } from '@woof/documents/places';
import {
  type BundleTag,
  BundleTooLarge,
  escapeAttribute,
  escapeText,
  FILE_LIMIT,
  inlineScript,
  inlineStyle,
  packBundle,
  workbookProblems,
  writeWorkbook,
} from '@woof/documents/workbook';
import { accountOf, emptyState, encodeJson, evolve, type State } from '@woof/net';
import { lengthOf, signOf, wordOf } from '@woof/run-view/data';
import { type PlacedTraceback, type ReportData, type RunData, toRunFiles } from '@woof/workbook-page';
import { gzip } from './node-gzip.ts';
import { secretProblems } from './pack-sources.ts';
import { pagePolicy } from './page-policy.ts';
import { Refused } from './refused.ts';

/** Returns a file of `dist/workbook`: its text, or base64 if it is packed (`.gz`). */
export type PagePart = (file: string) => string;

export interface RunOptions {
  part: PagePart;
  /** Files of the bundle that may be published although something in them looks like a secret. */
  includeSecrets?: readonly string[];
}

export function buildRun(run: RunData, { part, includeSecrets = [] }: RunOptions): string {
  const state = run.events.reduce(evolve, emptyState(run.execution_id, run.plan));
  const [script, style] = [part('report.js'), part('report.css')];
  const scriptTag = inlineScript(script);
  return writeWorkbook({
    title: `${run.name}: ${wordOf(state.status)}`,
    kind: 'document',
    permissions: [],
    csp: pagePolicy({ script: scriptTag, style }),
    head: inlineStyle(style),
    body: `${headerOf(run, state)}\n<main>\n${tableOf(state)}\n</main>\n${footerOf(run)}\n${scriptTag}`,
    bundle: bundleOf(reportOf(run, state), includeSecrets),
  });
}

/** What does not depend on the moment is computed here, so that the page needs no code for it. */
function reportOf(run: RunData, state: State): ReportData {
  return { ...run, ...placeOf(state), drawing: drawPlan(run.plan), tracebacks: tracebacksOf(run) };
}

function tracebacksOf({ plan, events, file }: RunData): PlacedTraceback[] {
  const found = new Map<string, PlacedTraceback>();
  for (const event of events) {
    if (event.name !== 'step.failed' || file === undefined) continue;
    const { step = '', data } = event;
    const { task, details } = data.error;
    const said = details?.traceback;
    if (typeof said !== 'string') continue;
    const placed = inDocument(said, { plan, step, task }, file);
    if (placed !== said) found.set([step, task, said].join('\n'), { step, task, said, placed });
  }
  return [...found.values()];
}

function placeOf(state: State): Pick<RunData, 'place'> {
  const found = failurePlace(state);
  if (found === undefined) return {};
  const { message: _, ...place } = found;
  return { place };
}

/** The page reads its data from here, so nothing may be left out as it would be for sources. */
function bundleOf(run: ReportData, includeSecrets: readonly string[]): BundleTag {
  const files = toRunFiles(run).map(({ path, text }) => ({ path, content: Buffer.from(text), mode: 0o644 }));
  const large = files.find(({ content }) => content.length > FILE_LIMIT);
  if (large)
    throw tooLarge(run, `${large.path} has ${large.content.length} bytes; the limit is ${FILE_LIMIT}`);
  const secrets = files.flatMap(({ path, content }) => secretProblems(path, content, includeSecrets));
  if (secrets.length > 0) throw new Refused(secrets);
  const createdAt = new Date(run.events.at(-1)?.at ?? 0).toISOString();
  try {
    return packBundle({ rootName: run.execution_id, createdAt, files }, gzip);
  } catch (error) {
    if (error instanceof BundleTooLarge) throw tooLarge(run, error.message);
    throw error;
  }
}

const TOP = { line: 1, column: 1, endColumn: 2 };

function tooLarge({ execution_id: id }: RunData, why: string): Refused {
  const problem = workbookProblems.sourcesTooLarge(TOP, `the run is too large for a page: ${why}`);
  return new Refused([{ ...problem, hint: `read it with: woof events ${id} --json`, file: `run ${id}` }]);
}

function headerOf(run: RunData, state: State): string {
  const { status, started_at: start, ended_at: end } = state;
  const last = end ?? run.events.at(-1)?.at ?? start;
  const facts = [
    `<li class="chip" data-status="${status}">${signOf(status)} ${wordOf(status)}</li>`,
    `<li>${lengthOf(last - start)}</li>`,
    `<li><time datetime="${iso(start)}">${iso(start).slice(0, 19).replace('T', ' ')} UTC</time></li>`,
    `<li>${run.events.length} events</li>`,
    `<li>run ${escapeText(run.execution_id)}</li>`,
    ...(run.file === undefined ? [] : [`<li>${escapeText(run.file)}</li>`]),
  ];
  const error = state.error ? `\n<pre class="bad" role="alert">${escapeText(state.error.message)}</pre>` : '';
  return `<header>\n<h1>${escapeText(run.name)}</h1>\n<ul class="facts">${facts.join('')}</ul>${error}\n</header>`;
}

const iso = (ms: number): string => new Date(ms).toISOString();

function tableOf(state: State): string {
  const rows = Object.entries(accountOf(state).steps).map(([name, { status, runs, result, error }]) => {
    const { started_at: start, ended_at: end, because } = state.steps.get(name) ?? {};
    const time = start === undefined || end === undefined ? '' : lengthOf(end - start);
    const failed = error as { message?: string } | undefined;
    const said = failed?.message ?? because ?? (result === undefined ? '' : encodeJson(result));
    return [
      `<tr data-step="${escapeAttribute(name)}" data-status="${status}">`,
      `<td class="name">${escapeText(name)}</td>`,
      `<td class="status">${signOf(status)} ${wordOf(status)}</td>`,
      `<td class="runs">${runs}</td><td class="time">${time}</td><td>${escapeText(shortened(said))}</td></tr>`,
    ].join('');
  });
  const head = ['Step', 'Status', 'Runs', 'Time', 'Outcome'].map((name) => `<th scope="col">${name}</th>`);
  const table = `<table class="steps"><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
  return `<section class="steps-panel" tabindex="0" aria-label="Steps"><h2>Steps</h2>\n${table}\n</section>`;
}

function footerOf({ children }: RunData): string {
  const nested = children.map(({ execution_id: id, name, status }) => {
    return `<li>${escapeText(name)}: ${wordOf(status)} (${escapeText(id)})</li>`;
  });
  const list = nested.length === 0 ? '' : `<p>Nested runs:</p><ul>${nested.join('')}</ul>`;
  return `<footer>${list}<p>Made by woof. This file contains the complete log of the run and asks for no permissions.</p></footer>`;
}

const LONGEST = 160;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
