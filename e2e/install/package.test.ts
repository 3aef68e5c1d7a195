/** The packages that npm run package makes, installed as their users do: without a network and without scripts. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { describeUnless, itUnless } from '@woof/testkit/unless';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { otherNodes, type SupportedNode } from '../../scripts/nodes.mjs';
import { lastJson, type Ran, type Running, root, start, temporaryFolder, until } from '../cli/woof.ts';
import { type Registry, startRegistry } from './local-registry.ts';
import { environment, installedIn, runNpm } from './npm.ts';
import { startVerdaccio } from './verdaccio.ts';

const MB = 1024 * 1024;
const LIMITS = { packages: 30, withSqlite: 15 * MB, withoutSqlite: 50 * MB, docs: 1.5 * MB };
const packed = join(root, 'dist', 'package');
const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);
const example = (name: string) => join(root, 'examples', name);
const hasSqlite = (version: string) => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
};

/** npm run install-test: every way to install on every Node, and the archive that brings its own. */
const isLong = process.env.WOOF_INSTALL_TEST === 'long';

interface Bill {
  components: { name: string; version?: string; purl?: string }[];
}

let registry: Registry;
/** On this Node, from the tarballs; several tests use it. */
let here: Awaited<ReturnType<typeof installOffline>>;
beforeAll(async () => {
  const args = [join(root, 'scripts', 'package.mjs'), ...(isLong ? ['--node'] : [])];
  execFileSync(process.execPath, args, { stdio: 'ignore' });
  registry = await startRegistry(packed);
  here = await installOffline(HERE);
});
afterAll(() => registry?.close());

function tarballs(version: string): string[] {
  const own = `woof-sqlite-${process.platform}-${process.arch}`;
  return readdirSync(packed)
    .filter((name) => name.startsWith('woof-cli') || (!hasSqlite(version) && name.startsWith(own)))
    .map((name) => join(packed, name));
}

const HERE = { version: process.versions.node, program: process.execPath, present: true };

const NODES: SupportedNode[] = [HERE, ...otherNodes()];
const limitOn = (version: string) => (hasSqlite(version) ? LIMITS.withSqlite : LIMITS.withoutSqlite);
const unless = ({ version, present }: SupportedNode) =>
  itUnless(present ? undefined : `Node ${version} is not in dist/nodes`);

/** Into an empty prefix. */
async function installOffline({ version, program }: SupportedNode): Promise<{ home: string; ran: Ran }> {
  const home = temporaryFolder();
  const args = ['install', '--offline', '--ignore-scripts', '--prefix', home, ...tarballs(version)];
  return { home, ran: await runNpm(args, { home, node: program }) };
}

describe.each(isLong ? NODES : [HERE])('on Node $version', (node) => {
  const { version, program } = node;

  unless(node)('npm install --offline, from the tarballs, into an empty prefix', async () => {
    const { home, ran: installed } = node === HERE ? here : await installOffline(node);
    expect(installed).toMatchObject({ status: 0 });
    const { packages, bytes } = installedIn(join(home, 'node_modules'));
    expect(packages.length).toBeLessThanOrEqual(LIMITS.packages);
    expect(bytes).toBeLessThan(limitOn(version));
    const woof = join(home, 'node_modules', '.bin', 'woof');
    const env = environment({ home, node: program });
    const ran = await start(woof, ['run', example('hello.yaml'), '--json'], { cwd: home, env }).ended;
    expect(lastJson(ran).steps.shout!.result).toBe('HELLO, WORLD!');
  });
});

describe.each(NODES)('on Node $version', (node) => {
  const { version, program } = node;

  unless(node)('npm install -g, from a registry, takes SQLite only if this Node has none', async () => {
    const home = temporaryFolder();
    const args = ['install', '-g', '--ignore-scripts', '--prefix', join(home, 'global'), '@woof/cli'];
    const npm = { home, node: program, registry: registry.url };
    expect(await runNpm(args, npm)).toMatchObject({ status: 0 });
    const { packages, bytes } = installedIn(join(home, 'global', 'lib', 'node_modules'));
    const sqlite = packages.filter((name) => name.includes('sqlite'));
    expect(sqlite).toHaveLength(hasSqlite(version) ? 0 : 1);
    expect(bytes).toBeLessThan(limitOn(version));
    const woof = join(home, 'global', 'bin', 'woof');
    const ran = await start(woof, ['run', example('hello.yaml'), '--json'], {
      cwd: home,
      env: environment(npm),
    }).ended;
    expect(lastJson(ran).steps.shout!.result).toBe('HELLO, WORLD!');
  });
});

describe('installed', () => {
  let home: string;
  beforeAll(() => {
    expect(here.ran).toMatchObject({ status: 0 });
    home = here.home;
  });
  const startWoof = (args: string[], env = {}): Running =>
    start(join(home, 'node_modules', '.bin', 'woof'), args, {
      cwd: home,
      env: { ...environment({ home }), ...env },
    });
  const woof = (args: string[], env = {}): Promise<Ran> => startWoof(args, env).ended;

  it('woof up, woof submit from another process, and the documentation', async () => {
    const up = startWoof(['up', '--json', '--listen', '127.0.0.1:0', '--data', join(home, 'data')]);
    await until('the server listens', () => up.stdout().includes('\n'));
    const { url, token } = JSON.parse(up.stdout().split('\n')[0]!) as { url: string; token: string };
    const env = { WOOF_SERVER: url, WOOF_TOKEN: token };
    const ran = await woof(['submit', example('hello.yaml'), '--wait', '--json'], env);
    expect(lastJson(ran).steps.shout!.result).toBe('HELLO, WORLD!');
    const page = await fetch(`${url}/docs`);
    expect(page.headers.get('content-encoding')).toBe('gzip');
    expect(await page.text()).toContain('<title>Documentation · Woof</title>');
    const sections = await (await fetch(`${url}/docs/search.json`)).json();
    expect((sections as unknown[]).length).toBeGreaterThan(300);
    up.child.kill('SIGTERM');
    expect((await up.ended).status).toBe(0);
  });

  describeUnless(noSandbox)('a notebook', () => {
    it('runs, and becomes a page whose Python cells run in it, with the notices of what it holds', async () => {
      cpSync(example('tour.woofnb'), join(home, 'tour.woofnb'));
      expect(await woof(['run', 'tour.woofnb', '--json'])).toMatchObject({ status: 0 });
      const built = await woof(['build', 'tour.woofnb', '-o', 'tour.html', '--live', 'python', '--json']);
      expect(lastJson(built)).toMatchObject({ kind: 'notebook', live: ['js', 'python'] });
      const html = readFileSync(join(home, 'tour.html'), 'utf8');
      expect(html).toMatch(/BSD-3-Clause[\s\S]*MPL-2\.0[\s\S]*pyodide/);
    });
  });

  it('says which packages it works without, what needs them and how to get them', async () => {
    mkdirSync(join(home, 'site'));
    cpSync(example('budget'), join(home, 'site'), { recursive: true });
    const built = await woof(['build', 'site', '-o', 'site.html']);
    expect(built).toMatchObject({ status: 1, stdout: '' });
    expect(built.stderr).toMatch(
      /needs the package rolldown, which is not installed\n +fix: npm install rolldown@\d/,
    );
    const doctor = await woof(['doctor', '--json']);
    const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; found: string }[] };
    expect(findings.find(({ name }) => name === 'Optional packages')?.found).toContain('no @duckdb/node-api');
  });

  itUnless(hasSqlite(process.versions.node) ? 'this Node brings SQLite' : undefined)(
    'without the package of SQLite, it says which Node brings one',
    async () => {
      const [own] = readdirSync(join(home, 'node_modules', '@woof')).filter((name) =>
        name.startsWith('sqlite'),
      );
      const place = join(home, 'node_modules', '@woof', own!);
      renameSync(place, `${place}-away`);
      const ran = await woof(['run', example('hello.yaml'), '--data', join(home, 'none')]);
      renameSync(`${place}-away`, place);
      expect(ran.status).toBe(1);
      expect(ran.stderr).toMatch(/^error: Node 2.* has no SQLite.*\n +fix: use Node 22\.13 or newer/);
    },
  );

  it('brings the documentation, which is small', () => {
    const { bytes } = installedIn(join(home, 'node_modules', '@woof', 'cli', 'dist', 'docs'));
    expect(bytes).toBeLessThan(LIMITS.docs);
  });

  it('includes the licence, and the third-party work as notices and as a bill of materials', () => {
    const folder = join(home, 'node_modules', '@woof', 'cli');
    for (const file of ['LICENSE', 'README.md']) expect(existsSync(join(folder, file)), file).toBe(true);
    const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as Bill;
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: '@woof/cli' } } });
    expect(bill.components.length).toBeGreaterThan(50);
    for (const { name, version, purl } of bill.components) {
      expect(notices).toContain(`\n${name} ${version ?? ''}`);
      if (version) expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    }
  });

  it('has manifests that publint accepts', async () => {
    const { messages } = await publint({ pkgDir: join(home, 'node_modules', '@woof', 'cli'), pack: false });
    expect(messages).toEqual([]);
  });

  it('npx @woof/cli runs a document', async () => {
    const npm = { home: temporaryFolder(), registry: registry.url };
    const args = [
      'exec',
      '--yes',
      '--ignore-scripts',
      '--',
      '@woof/cli',
      'run',
      example('hello.yaml'),
      '--json',
    ];
    expect(lastJson(await runNpm(args, npm)).steps.shout!.result).toBe('HELLO, WORLD!');
  });
});

/** Long: the archive has 50 MB. */
if (isLong && process.platform === 'linux') {
  describeUnless(noSandbox)('the archive with Node', () => {
    const archive = () => join(packed, readdirSync(packed).find((name) => name.endsWith('.tar.gz'))!);
    /** In an environment where the machine's own Node is an empty file, and the PATH is empty. */
    const withoutNode = (program: string, args: string[], cwd: string) => {
      const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', realpathSync(process.execPath)];
      const box = [...hidden, '--clearenv', '--setenv', 'HOME', cwd, '--setenv', 'PATH', '/nonexistent'];
      return start('bwrap', [...box, program, ...args], { cwd }).ended;
    };

    it('is small, and runs without Node on the machine', async () => {
      expect(statSync(archive()).size).toBeLessThan(60 * MB);
      const cwd = temporaryFolder();
      execFileSync('tar', ['-xzf', archive(), '-C', cwd, '--strip-components=1']);
      const control = await withoutNode(process.execPath, ['--version'], cwd);
      expect(control.status).not.toBe(0);
      const ran = await withoutNode(join(cwd, 'bin', 'woof'), ['run', example('hello.yaml'), '--json'], cwd);
      expect(lastJson(ran).steps.shout!.result).toBe('HELLO, WORLD!');
      const prefix = join(temporaryFolder(), "my 'own' place");
      expect(await start(join(cwd, 'install.sh'), [prefix], { cwd }).ended).toMatchObject({ status: 0 });
      const version = await withoutNode(join(prefix, 'bin', 'woof'), ['--version'], cwd);
      expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    });
  });
}

/** Long: it needs verdaccio, which has three hundred packages. */
if (isLong)
  it('npm publish and npx, and npm update to a new version, which continues with the runs of the old one', async () => {
    const verdaccio = await startVerdaccio();
    onTestFinished(() => verdaccio.stop());
    const publisher = { home: temporaryFolder(), registry: verdaccio.url };
    const token = `${verdaccio.url.replace('http:', '')}:_authToken=anybody\n`;
    writeFileSync(join(publisher.home, 'npmrc'), token);
    const folders = unpacked();
    const publish = async () => {
      for (const folder of folders) {
        const published = await runNpm(['publish', folder, '--access', 'public'], publisher);
        expect(published, published.stderr).toMatchObject({ status: 0 });
      }
    };
    const home = temporaryFolder();
    const user = { home, registry: verdaccio.url };
    const global = ['-g', '--prefix', join(home, 'global')];
    const woof = (...args: string[]) =>
      start(join(home, 'global', 'bin', 'woof'), args, { cwd: home, env: environment(user) }).ended;
    const version = async () => (await woof('--version')).stdout.trim();

    await publish();
    const npx = ['exec', '--yes', '--', '@woof/cli', 'run', example('hello.yaml')];
    expect(await runNpm(npx, user)).toMatchObject({ status: 0 });
    expect(await runNpm(['install', ...global, '@woof/cli'], user)).toMatchObject({ status: 0 });
    const old = await version();
    expect(await woof('run', example('hello.yaml'))).toMatchObject({ status: 0 });

    for (const folder of folders) setVersion(folder, old, '99.0.0');
    await publish();
    expect(await runNpm(['update', ...global], user)).toMatchObject({ status: 0 });
    expect(await version()).toBe('99.0.0');
    expect(lastJson(await woof('show', 'last', '--json'))).toMatchObject({ status: 'succeeded' });
    expect(await woof('rerun', 'last', '--from', 'shout')).toMatchObject({ status: 0 });
  });

/** The packages as folders, so that the versions in their manifests can change. */
function unpacked(): string[] {
  const names = readdirSync(packed).filter((name) => name.endsWith('.tgz'));
  return names.map((name) => {
    const folder = temporaryFolder();
    execFileSync('tar', ['-xzf', join(packed, name), '-C', folder, '--strip-components=1']);
    return folder;
  });
}

function setVersion(folder: string, from: string, to: string): void {
  const path = join(folder, 'package.json');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`"${from}"`, `"${to}"`));
}
