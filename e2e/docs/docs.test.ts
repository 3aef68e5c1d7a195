/**
 * The pages match the program: every command, flag and event has a row, every document is valid, and every link has a
 * target.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocument, upgradePlaybook } from '@woof/documents';
import { DEFAULT_ENGINE_LIMITS } from '@woof/engine';
import { compile } from '@woof/expr';
import { EVENTS } from '@woof/net';
import { PROBLEMS } from '@woof/protocol';
import { resultStores, toolSchemas } from '@woof/tools';
import { describe, expect, test } from 'vitest';
import { loadVerb, VERBS } from '../../packages/cli/src/verbs.ts';
import {
  COMMAND_KEYS,
  CONFIG_KEYS,
  ROOT_KEYS,
  SLURM_KEYS,
  STAGE_KEYS,
} from '../../packages/documents/src/workflow/keys.ts';
import { blocksOf, isDocument } from './guide-page.ts';

const folder = fileURLToPath(new URL('../../docs/', import.meta.url));
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const textOf = (page: string) => readFileSync(join(folder, page), 'utf8');

/** The text under each heading of the second level, by heading. */
function sections(page: string): Map<string, string> {
  const [, ...parts] = textOf(page).split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n'))]));
}

/** The rows of the tables whose first column has this title, in either case, as cells. */
function rows(text: string, title: string): string[][] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!line.toLowerCase().startsWith(`| ${title.toLowerCase()} |`)) return [];
    const end = lines.findIndex((each, index) => index > at && !each.startsWith('|'));
    return lines.slice(at + 2, end < 0 ? undefined : end).map(cells);
  });
}

/** `\|` is a bar inside a cell. */
const cells = (line: string) => line.split(/(?<!\\)\|/).slice(1, -1);

const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
const codeOf = (table: string[][]) => table.flatMap(([first]) => codeIn(first)).sort();

describe('command-line.md', () => {
  const documented = sections('command-line.md');

  test('has a section for each verb, and for nothing else', () => {
    const named = [...documented.keys()].filter((heading) => heading.startsWith('woof '));
    expect(named.sort()).toEqual(
      Object.keys(VERBS)
        .map((verb) => `woof ${verb}`)
        .sort(),
    );
  });

  test.each(Object.keys(VERBS))('has the arguments and options of %s', async (name) => {
    const section = documented.get(`woof ${name}`) ?? '';
    const { args, options } = await loadVerb(VERBS[name]!);
    expect(section).toContain(`\nwoof ${[name, ...args].join(' ')} [options]\n`);
    const flags = Object.entries(options).map(([flag, { value }]) => `--${flag}${value ? ` ${value}` : ''}`);
    expect(codeOf(rows(section, 'option'))).toEqual(flags.sort());
  });
});

test('server.md has a row for each problem, with its status, and for nothing else', () => {
  const problems = rows(textOf('server.md'), 'code').map(([code = '', status]) => [
    codeIn(code)[0],
    Number(status),
  ]);
  const known = Object.entries(PROBLEMS);
  expect(Object.fromEntries(problems)).toEqual(Object.fromEntries(known));
});

describe('events.md', () => {
  const page = textOf('events.md');

  test('has a row for each event, and for nothing else', () => {
    expect(codeOf(rows(page, 'event'))).toEqual(Object.keys(EVENTS).sort());
  });

  test('maps the formal names to existing events', () => {
    const mapped = rows(page, 'formal name').flatMap(([, ours]) => codeIn(ours));
    expect(mapped.length).toBeGreaterThan(0);
    const unknown = mapped.filter((name) => /^[a-z]+\.[a-z.]+$/.test(name) && !name.startsWith('data.'));
    expect(unknown.filter((name) => !Object.hasOwn(EVENTS, name))).toEqual([]);
  });
});

test('templates.md names only existing filters', () => {
  const filters = codeOf(rows(textOf('templates.md'), 'filter'));
  expect(filters.length).toBeGreaterThan(0);
  expect(filters.flatMap((filter) => compile(`{{ x | ${filter} }}`).errors)).toEqual([]);
});

test('workflows.md has a row for each key, and for nothing else', () => {
  const keys = [ROOT_KEYS, STAGE_KEYS, COMMAND_KEYS, SLURM_KEYS, ...Object.values(CONFIG_KEYS)].flat();
  const documented = new Set(codeOf(rows(textOf('workflows.md'), 'key')));
  // `kind` of an executor is in the sentence above its table.
  expect([...documented].sort()).toEqual([...new Set(keys)].sort());
});

test('notebooks.md names existing tests for every level and section', () => {
  const conformance = sections('notebooks.md').get('Conformance')!;
  const [levels, parts] = [rows(conformance, 'level'), rows(conformance, 'section')];
  expect(levels.map(([level]) => level!.trim()[0])).toEqual(['A', 'B', 'C', 'D']);
  const numbers = parts.map(([part]) => Number.parseInt(part!, 10));
  expect([...new Set(numbers)]).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  const named = [...levels, ...parts].flatMap(([, , shown]) => codeIn(shown));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(folder, '..', path)))).toEqual([]);
});

describe('from-noetl.md', () => {
  const page = textOf('from-noetl.md');
  const blocks = (info: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body]) => body!);

  test('what it lists as refused is refused', () => {
    expect(blocks('yaml refused').length).toBeGreaterThan(0);
    for (const playbook of blocks('yaml refused'))
      expect(readDocument(playbook, { kinds: toolSchemas, resultStores }).plan, playbook).toBeUndefined();
  });

  test('what it upgrades becomes the block that follows', () => {
    const [older] = blocks('yaml older');
    expect(blocks('yaml')).toContain(upgradePlaybook(older!).text);
  });
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);

  test('has documents without mistakes', () => {
    for (const document of documentsIn(text)) {
      const { diagnostics } = readDocument(document, { kinds: toolSchemas, resultStores });
      expect(diagnostics, document).toEqual([]);
    }
  });

  test('has no broken links', () => {
    const broken = linksIn(text).filter((link) => !leadsSomewhere(join(folder, page), link));
    expect(broken).toEqual([]);
  });

  test('is in the index', () => {
    if (page === 'README.md') return;
    const index = page.startsWith('tools/') ? 'tools.md' : 'README.md';
    expect(linksIn(textOf(index))).toContain(page);
  });
});

/** A block of YAML is a whole document, or a list of tasks. */
function documentsIn(page: string): string[] {
  return blocksOf(page)
    .filter(isDocument)
    .map(({ text }) => (text.startsWith('- ') ? `${AROUND_TASKS}${text.replace(/^/gm, '      ')}` : text));
}

const AROUND_TASKS = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: around}
workbook: {price: {kind: noop}}
workflow:
  - step: start
    tool:
`;

function linksIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const all = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return all.filter((link) => !/^https?:/.test(link));
}

function leadsSomewhere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : resolve(dirname(from), path);
  if (relative(join(folder, '..'), target).startsWith('..') || !existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** As GitHub derives them from headings. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('docs/limits.md', () => {
  test('has every limit with its default, and nothing else', () => {
    const documented = rows(textOf('limits.md'), 'Limit').map(([name, limit]) => [
      name!.replaceAll(/[` ]/g, ''),
      Number(limit!.trim().split(' ')[0]!.replaceAll(',', '')),
    ]);
    expect(Object.fromEntries(documented)).toEqual(DEFAULT_ENGINE_LIMITS);
  });
});
