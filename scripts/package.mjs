// npm run package: builds the packages in which Woof is published, in dist/package.
//   woof-cli-V.tgz               @woof/cli: the bundles, without any dependency on Node 22.13 and newer
//   woof-sqlite-PLATFORM-V.tgz   SQLite for older Nodes: npm installs the one for its platform, and none on newer Nodes
//   woof-V-PLATFORM.tar.gz       woof and Node in one folder, for machines without Node (with --node)
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { provideNode } from './nodes.mjs';
import { billOfMaterials, longNotices } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist', 'package');
const NODE_INSIDE = '22.23.3';
const SQLITE = 'node_modules/@photostructure/sqlite';
const PLATFORMS = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'x64'],
  ['darwin', 'arm64'],
];
/** Node includes SQLite from 22.13 on. */
const WITHOUT_SQLITE = '>=20.18.1 <22.13.0';

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { version, description, license, engines } = readJson('package.json');
const common = { version, license, publishConfig: { access: 'public' } };

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const made = [packCli(), ...PLATFORMS.map(([os, cpu]) => packSqlite(os, cpu))];
if (process.argv.includes('--node')) made.push(packWithNode(join(target, 'cli')));
for (const folder of ['cli', 'sqlite']) rmSync(join(target, folder), { recursive: true, force: true });
for (const file of made) console.log(`dist/package/${basename(file)}`);

function packCli() {
  const folder = join(target, 'cli');
  for (const path of [
    'bin',
    'dist/cli',
    'dist/vega',
    'dist/workbook',
    'dist/docs',
    'dist/studio',
    'LICENSE',
    'README.md',
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (file) => !isOurs(file) });
  }
  for (const name of ['THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'])
    cpSync(join(root, 'dist', name), join(folder, name));
  compressTexts(join(folder, 'dist', 'docs'));
  return pack(folder, {
    name: '@woof/cli',
    ...common,
    description,
    keywords: ['workflow', 'notebook', 'playbook', 'agents'],
    engines,
    // What browsers load are modules. bin/ has a package.json of its own.
    type: 'module',
    bin: { woof: 'bin/woof' },
    optionalDependencies: Object.fromEntries(PLATFORMS.map(([os, cpu]) => [nameOf(os, cpu), version])),
    ...optionalPeers(),
  });
}

/** Servers send such files as they are, and the site takes half the space. */
function compressTexts(folder) {
  for (const name of readdirSync(folder, { recursive: true }).filter((each) => /\.\w+$/.test(each))) {
    if (name.endsWith('.png')) continue;
    const file = join(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}

/** V8's caches fit one version of Node on one machine; stamps belong to the build. */
function isOurs(file) {
  return /\.pack$|\/stamp$/.test(file);
}

function nameOf(os, cpu) {
  return `@woof/sqlite-${os}-${cpu}`;
}

function optionalPeers() {
  const { dependencies: tools } = readJson('packages/tools/package.json');
  const { dependencies: build } = readJson('packages/workbook-build/package.json');
  return {
    peerDependencies: { '@duckdb/node-api': tools['@duckdb/node-api'], rolldown: build.rolldown },
    peerDependenciesMeta: { '@duckdb/node-api': { optional: true }, rolldown: { optional: true } },
  };
}

/** On Linux it contains builds for both C libraries; one that does not fit the machine does not load. */
function packSqlite(os, cpu) {
  const folder = join(target, 'sqlite', `${os}-${cpu}`);
  const source = join(root, SQLITE, 'prebuilds', `${os}-${cpu}`);
  mkdirSync(folder, { recursive: true });
  const libraries = readdirSync(source).map((file) => [file, file.replace('@photostructure+', '')]);
  for (const [file, plain] of libraries) cpSync(join(source, file), join(folder, plain));
  const names = libraries.map(([, plain]) => plain).sort();
  writeFileSync(join(folder, 'index.js'), loaderOf(names));
  const name = nameOf(os, cpu);
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), longNotices(root, [SQLITE]));
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(root, [SQLITE], { name, version }));
  return pack(folder, {
    name,
    ...common,
    description: 'SQLite for Woof on versions of Node that bring none',
    os: [os],
    cpu: [cpu],
    engines: { node: WITHOUT_SQLITE },
    type: 'commonjs',
    main: 'index.js',
  });
}

function loaderOf([first, second]) {
  if (second === undefined) return `module.exports = require('./${first}');\n`;
  return `try {\n  module.exports = require('./${first}');\n} catch {\n  module.exports = require('./${second}');\n}\n`;
}

function pack(folder, manifest) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', target];
  const [packed] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  return join(target, packed.filename);
}

/** One folder that runs where it is unpacked. install.sh copies it and puts a command on the PATH. */
function packWithNode(cli) {
  const name = `woof-${version}-${process.platform}-${process.arch}`;
  const folder = join(target, name);
  const { program, licence } = provideNode(NODE_INSIDE);
  cpSync(cli, join(folder, 'lib'), { recursive: true });
  cpSync(program, join(folder, 'bin', 'node'));
  cpSync(licence, join(folder, 'LICENSE-node.txt'));
  for (const [script, place] of [
    ['woof.sh', 'bin/woof'],
    ['install.sh', 'install.sh'],
  ]) {
    cpSync(join(root, 'scripts', 'standalone', script), join(folder, place));
    chmodSync(join(folder, place), 0o755);
  }
  const file = `${folder}.tar.gz`;
  execFileSync('tar', ['-czf', file, '-C', target, '--owner=0', '--group=0', name]);
  rmSync(folder, { recursive: true });
  return file;
}
