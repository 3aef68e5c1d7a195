// npm run docs:site: builds the documentation site in dist/docs, which servers serve at /docs, from docs/ and PROJECT.
// A dead link is an error.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { packagesOf } from './notices.mjs';
import { rawText } from './raw-text.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { styleOf } from './styles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const room = join(root, 'packages', 'docs-site', 'src');
/** Files outside docs/ that become pages too. */
const PROJECT = ['CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

/** Returns the folders of the packages whose code the site contains. */
export async function buildDocsSite() {
  const site = await siteOf(readPages());
  if (site.problems.length > 0)
    throw new Error(`The documentation has dead links.\n${site.problems.join('\n')}`);
  let packages = [];
  await replaceFolder('docs', async (aside) => {
    writePages(aside, site);
    packages = await writeScripts(aside);
  });
  return packages;
}

function readPages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`);
  const files = [...docs.filter((name) => name.endsWith('.md')).sort(), ...PROJECT];
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** The generator is TypeScript, which some supported versions of Node cannot run. */
async function siteOf(pages) {
  const program = join(root, 'dist', `.docs-site-${process.pid}.mjs`);
  await bundle(join(room, 'index.ts'), { file: program, format: 'esm' }, 'node');
  const { buildSite } = await import(pathToFileURL(program).href);
  rmSync(program);
  const isFile = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ?? false;
  return buildSite({ pages, isFile });
}

function writePages(folder, { pages, files, sections }) {
  for (const [address, html] of pages) writeFileSync(placeOf(folder, address), html);
  for (const [address, file] of files) copyFileSync(join(root, file), placeOf(folder, address));
  writeFileSync(join(folder, 'site.css'), styleOf(root, 'docs'));
  copyFileSync(join(room, 'icon.svg'), join(folder, 'icon.svg'));
  writeFileSync(join(folder, 'search.json'), JSON.stringify(sections));
}

function placeOf(folder, address) {
  const place = join(folder, address);
  mkdirSync(dirname(place), { recursive: true });
  return place;
}

async function writeScripts(folder) {
  const modules = [];
  for (const name of ['theme', 'site']) {
    const output = { file: join(folder, `${name}.js`), format: 'iife', minify: true };
    modules.push(...(await bundle(join(room, 'browser', `${name}.ts`), output, 'browser')));
  }
  return packagesOf(root, modules);
}

async function bundle(input, output, platform) {
  const build = await rolldown({ input, platform, cwd: root, plugins: [rawText], logLevel: 'warn' });
  const { output: chunks } = await build.write(output);
  await build.close();
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildDocsSite();
    console.log('dist/docs/index.html');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
