/** The HTML of a notebook's page, as it is painted before any script runs. */

import type { Heading } from '@woof/documents/html';
import { escapeText } from '@woof/documents/workbook';
import { encodeJson, languageTitle, traitsOf } from '@woof/net';
import { type Control, escapeHtml, highlight, PLACES } from '@woof/workbook-page';

export interface CellHtml {
  id: string;
  type: string;
  language: string;
  name?: string;
  body: string;
  /** Finished HTML. */
  outputs: string;
  hasRun: boolean;
  /** Why it does not run, in a page that has live cells. */
  stored?: string;
}

export type CodeView = 'folded' | 'shown' | 'hidden';

export function cellHtml(cell: CellHtml, code: CodeView): string {
  const { id, type, outputs, stored } = cell;
  const nothing = cell.hasRun ? '' : '<p class="note">Not run yet.</p>';
  const what = cell.hasRun ? 'Stored output' : 'Does not run in this page';
  const note = stored === undefined ? '' : `<p class="note">${what}: ${escapeText(stored)}.</p>`;
  const out = traitsOf(cell).isValue
    ? ''
    : `<div class="outputs" id="${escapeHtml(PLACES.outputs(id))}">${outputs || nothing}</div>`;
  return [
    `<section role="group" class="cell ${escapeHtml(type)}" id="${escapeHtml(PLACES.cell(id))}" aria-label="Cell ${escapeHtml(cell.name ?? id)}">`,
    code === 'hidden' ? '' : sourceHtml(cell, code),
    out,
    note,
    '</section>',
  ].join('');
}

function sourceHtml({ id, type, language, name, body }: CellHtml, code: CodeView): string {
  const { title = languageTitle(language), isTest, highlightAs = language } = traitsOf({ type });
  const lines = body.split('\n').length;
  const words = [title, ...(isTest ? ['test'] : []), `${lines} ${lines === 1 ? 'line' : 'lines'}`];
  const shown = name === undefined ? '' : ` <span class="title">${escapeText(name)}</span>`;
  return [
    `<details class="source"${code === 'shown' ? ' open' : ''}>`,
    `<summary><span class="id">${escapeText(id)}</span>${shown} <span class="kind">${escapeText(words.join(' · '))}</span></summary>`,
    `<pre class="code" tabindex="0"><code>${highlight(body, highlightAs)}</code></pre></details>`,
  ].join('');
}

export function contentsHtml(headings: readonly Heading[]): string {
  const title = headings.find(({ level }) => level === 1);
  const shown = headings.filter((heading) => heading !== title && heading.level <= 3);
  if (shown.length < 2) return '';
  const links = shown.map(
    ({ level, text, id }) =>
      `<li class="level-${level}"><a href="#${escapeHtml(id)}">${escapeText(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary><ol>${links.join('')}</ol></details></nav>`;
}

/** Parameters that no live cell of the page reads are only shown: changing them would have no effect. */
export function parametersHtml(controls: readonly Control[], isRead: (parameter: string) => boolean): string {
  if (controls.length === 0) return '';
  const fields = controls.filter(({ name }) => isRead(name)).map(fieldHtml);
  const facts = controls.filter(({ name }) => !isRead(name)).map(factHtml);
  const told = facts.length === 0 ? '' : `<dl>${facts.join('')}</dl>`;
  if (fields.length === 0)
    return `<section class="panel" aria-label="Parameters"><h2 class="label">Parameters</h2>${told}</section>`;
  const reset = '<button type="button" hidden>Reset</button>';
  return `<form class="panel" id="${PLACES.parameters}" aria-label="Parameters" autocomplete="off"><h2 class="label">Parameters ${reset}</h2>${fields.join('')}${told}</form>`;
}

function factHtml({ label, value }: Control): string {
  return `<div><dt>${escapeText(label)}</dt><dd>${escapeText(typeof value === 'string' ? value : encodeJson(value))}</dd></div>`;
}

function fieldHtml(control: Control): string {
  const { name, label, kind, value } = control;
  const id = `parameter-${name}`;
  const shared = `id="${escapeHtml(id)}" data-parameter="${escapeHtml(name)}" data-kind="${kind}" disabled`;
  const head = `<label for="${escapeHtml(id)}">${escapeText(label)}</label>`;
  if (kind === 'checkbox')
    return `<div class="field check"><input type="checkbox" ${shared}${value === true ? ' checked' : ''}>${head}</div>`;
  if (kind === 'select')
    return `<div class="field">${head}<select ${shared}>${optionsHtml(control)}</select></div>`;
  const text = typeof value === 'string' ? value : encodeJson(value);
  const limits = (['min', 'max', 'step'] as const)
    .map((key) => (control[key] === undefined ? '' : ` ${key}="${control[key]}"`))
    .join('');
  const free = (kind === 'number' || kind === 'range') && control.step === undefined ? ' step="any"' : '';
  const type = kind === 'json' ? 'text' : kind;
  const shown = kind === 'range' ? `<output for="${escapeHtml(id)}">${escapeText(text)}</output>` : '';
  return `<div class="field">${head}${shown}<input type="${type}" ${shared}${limits}${free} value="${escapeHtml(text)}"></div>`;
}

function optionsHtml({ options = [], value }: Control): string {
  return options
    .map((option) => {
      const text = typeof option === 'string' ? option : encodeJson(option);
      const selected = encodeJson(option) === encodeJson(value) ? ' selected' : '';
      return `<option value="${escapeHtml(encodeJson(option))}"${selected}>${escapeText(text)}</option>`;
    })
    .join('');
}

const THEME_ICON =
  '<svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-width="1.8"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></svg>';

export interface PageHtml {
  title: string;
  /** The text itself contains the title. */
  hasHeading: boolean;
  facts: readonly string[];
  contents: string;
  parameters: string;
  cells: readonly string[];
  file: string;
}

export function bodyHtml({ title, hasHeading, facts, contents, parameters, cells, file }: PageHtml): string {
  // The title comes first, then what the reader needs next: beside it on a wide screen, after it on a narrow one.
  const [first, rest] = hasHeading
    ? [cells.slice(0, 1), cells.slice(1)]
    : [[`<h1>${escapeText(title)}</h1>`], cells];
  const tools = `${contents}${parameters}`;
  const aside = tools === '' ? '' : `<aside aria-label="Contents and parameters"><div>${tools}</div></aside>`;
  return `<a class="skip" href="#main">Skip to content</a>
<header class="bar" aria-label="Tools"><span class="brand">${escapeText(title)}</span>
<span class="status" id="${PLACES.status}" role="status"></span>
<button type="button" id="stop" hidden>Stop</button>
<button type="button" id="run-all" hidden>Run all</button>
<button type="button" id="code-switch" hidden>Show code</button>
<button type="button" id="theme-switch" class="icon" aria-label="Colours" hidden>${THEME_ICON}</button>
</header>
<div class="page">
<main id="main" tabindex="-1">
${[...first, aside, ...rest].filter((html) => html !== '').join('\n')}
</main>
<footer><p>${facts.map(escapeText).join(' · ')}</p><p>Made by woof from ${escapeText(file)}, which this file contains. <code>woof unbundle</code> extracts it.</p></footer>
</div>`;
}
