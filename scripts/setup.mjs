// Makes a fresh clone ready: packages, bundles, and what the machine lacks. Needs nothing but Node itself.
// A second run finds its stamps and ends at once.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const forTests = process.argv.includes('--test');

/** Another installation may be going on. */
const WAITING = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];
let updated = false;

checkNode();
installPackages();
buildBundles();
provideTools();

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 18)) return;
  fail(`Woof needs Node 20.18 or newer; this is ${process.versions.node}.`);
}

function installPackages() {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = join(root, 'node_modules', '.woof-packages');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  say('Installing packages (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed; its output is above.');
  writeFileSync(stamp, hash);
}

function buildBundles() {
  const stamp = join(root, 'dist', '.built');
  const built = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  const sources = ['packages', 'bench', 'scripts', 'package.json', 'package-lock.json'];
  if (newest(sources.map((name) => join(root, name))) <= built) return;
  say('Building …');
  run(
    process.execPath,
    [join(root, 'scripts', 'build.mjs'), '--bench'],
    'The build failed; its output is above.',
  );
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
}

function newest(paths) {
  let time = 0;
  for (const path of paths) {
    const stats = statSync(path);
    const entries = stats.isDirectory() ? readdirSync(path).filter((name) => name !== 'node_modules') : [];
    time = Math.max(time, stats.mtimeMs, newest(entries.map((name) => join(path, name))));
  }
  return time;
}

/** Programs that the machine should have: the sandbox, Python, and for the tests what they compare with. */
function provideTools() {
  if (process.platform !== 'linux') return;
  provide([
    { package: 'bubblewrap', why: 'the sandbox for Python and shell tasks', has: () => onPath('bwrap') },
    { package: 'python3', why: 'Python tasks', has: () => onPath('python3') },
  ]);
  if (!forTests) return;
  // Apart, so that what a distribution lacks of these does not keep the others away.
  provide([
    { package: 'python3-jinja2', why: 'the differential tests of templates', has: () => hasModule('jinja2') },
  ]);
  provide([
    { package: 'r-base-core', why: 'the tests of R cells', has: () => onPath('Rscript') },
    { package: 'python3-ipykernel', why: 'the tests of Jupyter kernels', has: () => hasKernel('python3') },
    { package: 'r-cran-irkernel', why: 'the tests of Jupyter kernels', has: () => hasKernel('ir') },
    {
      package: 'python3-nbclient',
      why: 'the tests of exported notebooks',
      has: () => hasModule('nbclient'),
    },
  ]);
  provide(['numpy', 'pandas', 'matplotlib', 'scipy'].map(libraryOf));
  if (isOffered('python3-polars')) provide([libraryOf('polars')]);
  provide([{ package: 'nats-server', why: 'the tests of NATS', has: () => hasDaemon('nats-server') }]);
  provide([
    { package: 'slurm-wlm', why: 'the tests of Slurm', has: () => hasDaemon('slurmctld') },
    { package: 'slurm-client', why: 'the tests of Slurm', has: () => onPath('sbatch') },
    { package: 'munge', why: 'the tests of Slurm', has: () => hasDaemon('munged') },
  ]);
  provide([{ package: 'chromium', why: 'the tests of workbooks', has: () => onPath('chromium') }]);
}

function provide(wanted) {
  const missing = wanted.filter((tool) => !tool.has());
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.map((tool) => tool.package).join(' ')}`;
  const reasons = missing.map((tool) => `${tool.package} (${tool.why})`).join(', ');
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    say(
      `Missing: ${reasons}. On Debian or Ubuntu: sudo ${command}. Without it, what needs it is refused or skipped.`,
    );
    return;
  }
  say(`Installing ${reasons} …`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  if (!updated) spawnSync('apt-get', ['update', '-qq'], options);
  updated = true;
  const { status } = spawnSync('apt-get', command.split(' ').slice(1).concat(WAITING), options);
  if (status !== 0) say(`Could not install them; try: ${command}`);
}

function libraryOf(name) {
  return {
    package: `python3-${name}`,
    why: 'the tests of notebooks with data libraries',
    has: () => hasModule(name),
  };
}

/** Whether the distribution has a package of that name. */
function isOffered(name) {
  return spawnSync('apt-cache', ['show', '--quiet', name], { stdio: 'ignore' }).status === 0;
}

/** Found, not imported: that takes seconds for some. */
function hasModule(name) {
  const check = ['-c', `import importlib.util; raise SystemExit(not importlib.util.find_spec('${name}'))`];
  return ['/usr/bin/python3', 'python3'].some(
    (python) => spawnSync(python, check, { stdio: 'ignore' }).status === 0,
  );
}

function hasKernel(name) {
  return ['/usr/share', '/usr/local/share'].some((folder) =>
    existsSync(join(folder, 'jupyter', 'kernels', name, 'kernel.json')),
  );
}

function hasDaemon(program) {
  return onPath(program) || existsSync(join('/usr/sbin', program));
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function run(program, args, complaint) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) fail(complaint);
}

function say(text) {
  console.error(text);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
