// Who wrote the code in our bundles, and under which licence: the notices that these licences require.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Links to licence texts that packages do not include. */
const LINKS = {
  'BSD-3-Clause': 'https://spdx.org/licenses/BSD-3-Clause.html',
  Unlicense: 'https://unlicense.org/',
  MIT: 'https://spdx.org/licenses/MIT.html',
  'MPL-2.0': 'https://www.mozilla.org/MPL/2.0/',
  'PSF-2.0': 'https://docs.python.org/3/license.html',
  'Apache-2.0': 'https://www.apache.org/licenses/LICENSE-2.0',
};

/** Not npm packages, but contained in one. */
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

/** The folders below `root` of the packages from which modules of a bundle come, sorted. */
export function packagesOf(root, moduleIds) {
  const folders = moduleIds.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  const found = new Set(folders.filter((folder) => folder?.startsWith(root)));
  return [...found].map((folder) => folder.slice(root.length)).sort();
}

/** A short text for the code inside a page: names and copyright lines by licence, and each licence once. */
export function shortNotices(root, packages) {
  const notices = packages.flatMap((folder) => noticesOf(root, folder));
  const licences = [...new Set(notices.map(({ licence }) => licence))].sort();
  return licences.map((licence) => ofLicence(licence, notices)).join('\n\n');
}

/** The full notices: each package with the whole text of its licence. */
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

/** The same packages for programs that check licences and known vulnerabilities: a CycloneDX document. */
export function billOfMaterials(root, packages, { name, version }) {
  const parts = packages.flatMap((folder) => noticesOf(root, folder));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, purl: purlOf(name, version) } },
    components: parts.map(componentOf),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

function componentOf({ name, version, licence, source, isInside }) {
  const address = isInside
    ? { description: `${version}: ${source}` }
    : { version, purl: purlOf(name, version) };
  return { type: 'library', name, ...address, licenses: [{ expression: licence }] };
}

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

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

/** The text that is the same in every package under this licence, without its title and copyright holders. */
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
  const inside = (INSIDE[name] ?? []).map((part) => ({ ...part, text: LINKS[part.licence], isInside: true }));
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
