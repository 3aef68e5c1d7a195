// Who wrote what stands in our bundles, and under which licence: the notices that these licences ask for.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the texts stand that packages do not bring. */
const LINKS = {
  'BSD-3-Clause': 'https://spdx.org/licenses/BSD-3-Clause.html',
  Unlicense: 'https://unlicense.org/',
  MIT: 'https://spdx.org/licenses/MIT.html',
  'MPL-2.0': 'https://www.mozilla.org/MPL/2.0/',
  'PSF-2.0': 'https://docs.python.org/3/license.html',
  'Apache-2.0': 'https://www.apache.org/licenses/LICENSE-2.0',
};

/** Not packages of npm, but inside of one. */
const INSIDE = {
  pyodide: [
    {
      name: 'CPython',
      version: 'as in Pyodide',
      licence: 'PSF-2.0',
      author: 'Python Software Foundation',
      source: 'https://github.com/python/cpython',
    },
  ],
};

/** The folders of the packages that modules of a bundle come from, below `root`, sorted. */
export function packagesOf(root, moduleIds) {
  const folders = moduleIds.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  const found = new Set(folders.filter((folder) => folder?.startsWith(root)));
  return [...found].map((folder) => folder.slice(root.length)).sort();
}

/** A short page of text for what stands in a page: names and copyright lines by licence, and each licence once. */
export function shortNotices(root, packages) {
  const notices = packages.flatMap((folder) => noticesOf(root, folder));
  const licences = [...new Set(notices.map(({ licence }) => licence))].sort();
  return licences.map((licence) => ofLicence(licence, notices)).join('\n\n');
}

/** Everything: each package with the whole text of its licence. */
export function longNotices(root, packages) {
  const head = 'Woof contains the software of others. These are their licences.\n';
  const notices = packages.flatMap((folder) => noticesOf(root, folder));
  const blocks = notices.map((notice) =>
    [`${'-'.repeat(80)}\n${titleOf(notice)}: ${notice.licence}, by ${notice.author}`, notice.text].join(
      '\n\n',
    ),
  );
  return `${[head, ...new Set(blocks)].join('\n')}\n`;
}

function ofLicence(licence, notices) {
  const own = notices.filter((notice) => notice.licence === licence);
  const holders = groupBy(own, holdersOf);
  const lines = [...holders].map(([holder, held]) => `  ${holder}: ${held.map(titleOf).join(', ')}`);
  return `${licence}\n${lines.join('\n')}\n\n${termsOf(own) || LINKS[licence]}`;
}

const titleOf = ({ name, version, source }) => `${name} ${version}${source ? ` (${source})` : ''}`;
const holdersOf = ({ text, author }) =>
  text
    .match(/^\s*(copyright\b.*\d{4}.*|\(c\).*\d{4}.*)$/gim)
    ?.map((line) => line.trim())
    .join('; ') ?? author;

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}

/** What every package under this licence says in the same words, without its title and its holders. */
function termsOf(notices) {
  const text = notices.find((notice) => notice.hasTerms)?.text ?? '';
  return text
    .split(/\n\s*\n/)
    .filter((part) => !/^\s*(copyright\b|[^\n]*licen[cs]e\s*$|all rights reserved)/i.test(part))
    .join('\n\n')
    .trim();
}

function noticesOf(root, folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  const licence = typeof license === 'string' ? license : (license?.type ?? 'see its text');
  const found = licenceText(join(root, folder));
  const text = found ?? LINKS[licence];
  if (text === undefined) throw new Error(`${folder} brings no text of its licence (${licence})`);
  const by = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const source = licence === 'MPL-2.0' ? `https://www.npmjs.com/package/${name}` : undefined;
  const inside = (INSIDE[name] ?? []).map((part) => ({ ...part, text: LINKS[part.licence] }));
  return [{ name, version, licence, text, author: by, source, hasTerms: found !== undefined }, ...inside];
}

function licenceText(folder) {
  const file = readdirSync(folder).find(
    (name) => /^licen[cs]e(\.|$)/i.test(name) && existsSync(join(folder, name)),
  );
  return file === undefined
    ? undefined
    : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
}
