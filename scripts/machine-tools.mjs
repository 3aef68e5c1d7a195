// Programs that the machine should have: the sandbox, Python, and for the tests the programs that they compare with.
// Before it changes anything, it says what is missing, why, and what it will do. WOOF_NO_INSTALL=1 leaves the machine
// unchanged.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const TOOLS = [
  { package: 'bubblewrap', why: 'the sandbox for Python and shell tasks', has: () => onPath('bwrap') },
  { package: 'python3', why: 'Python tasks and cells', has: () => onPath('python3') },
];

const library = (name) => ({
  package: `python3-${name}`,
  why: 'the tests of notebooks with data libraries',
  has: () => hasModule(name),
});

/** Separate lists, so that a package that a distribution lacks does not keep the others from being installed. */
const TOOLS_OF_TESTS = [
  [
    { package: 'shellcheck', why: 'the checks of shell programs', has: () => onPath('shellcheck') },
    { package: 'shfmt', why: 'the checks of shell programs', has: () => onPath('shfmt') },
    { package: 'r-cran-lintr', why: 'the checks of R programs', has: () => hasLibraryOfR('lintr') },
  ],
  [{ package: 'python3-jinja2', why: 'the differential tests of templates', has: () => hasModule('jinja2') }],
  [
    { package: 'r-base-core', why: 'the tests of R cells', has: () => onPath('Rscript') },
    { package: 'python3-ipykernel', why: 'the tests of Jupyter kernels', has: () => hasKernel('python3') },
    { package: 'r-cran-irkernel', why: 'the tests of Jupyter kernels', has: () => hasKernel('ir') },
    {
      package: 'python3-nbclient',
      why: 'the tests of exported notebooks',
      has: () => hasModule('nbclient'),
    },
  ],
  ['numpy', 'pandas', 'matplotlib', 'scipy'].map(library),
  [
    { package: 'zsh', why: 'the tests of completion', has: () => onPath('zsh') },
    { package: 'fish', why: 'the tests of completion', has: () => onPath('fish') },
  ],
  // Not every distribution offers it.
  [{ ...library('polars'), has: () => hasModule('polars') || !isOffered('python3-polars') }],
  [{ package: 'nats-server', why: 'the tests of NATS', has: () => hasDaemon('nats-server') }],
  [
    { package: 'slurm-wlm', why: 'the tests of Slurm', has: () => hasDaemon('slurmctld') },
    { package: 'slurm-client', why: 'the tests of Slurm', has: () => onPath('sbatch') },
    { package: 'munge', why: 'the tests of Slurm', has: () => hasDaemon('munged') },
  ],
  // crun, which podman installs, refuses machines with both versions of control groups.
  [
    { package: 'podman', why: 'the tests of containers', has: () => onPath('podman') },
    { package: 'runc', why: 'the tests of containers', has: () => hasDaemon('runc') },
  ],
  [{ package: 'chromium', why: 'the tests of workbooks', has: () => onPath('chromium') }],
  // Not every distribution offers it. The workbook tests use it if possible, because it takes half the time.
  [
    {
      package: 'chromium-headless-shell',
      why: 'the tests of workbooks',
      has: () => onPath('chromium-headless-shell') || !isOffered('chromium-headless-shell'),
    },
  ],
];

/** Another installation may be running. */
const OPTIONS = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];

export const mayInstall = () => (process.env.WOOF_NO_INSTALL ?? '') === '';

export function provideTools({ forTests }) {
  if (process.platform !== 'linux') return;
  const lists = [TOOLS, ...(forTests ? TOOLS_OF_TESTS : [])]
    .map((tools) => tools.filter((tool) => !tool.has()))
    .filter((missing) => missing.length > 0);
  if (lists.length === 0) return;
  const reason = whyNot();
  say(announcement(lists.flat(), reason));
  if (reason !== undefined) return;
  aptGet(['update', '-qq']);
  for (const missing of lists) install(missing);
}

/** Why nothing is installed, if so. */
function whyNot() {
  if (!mayInstall()) return 'WOOF_NO_INSTALL is set';
  if (!onPath('apt-get')) return 'this machine has no apt-get';
  return process.getuid?.() === 0 ? undefined : 'only root may install packages';
}

function announcement(missing, reason) {
  const list = missing.map((tool) => `  ${tool.package.padEnd(18)} ${tool.why}`);
  const head = 'This machine lacks these packages of Debian and Ubuntu:';
  const next =
    reason === undefined
      ? 'Installing them on this machine with apt-get. WOOF_NO_INSTALL=1 keeps it as it is.'
      : `They are not installed: ${reason}. What needs them is refused or skipped. To install them:\n  sudo ${commandFor(missing)}`;
  return [head, ...list, next].join('\n');
}

function install(missing) {
  const [, ...args] = commandFor(missing).split(' ');
  if (!aptGet([...args, ...OPTIONS])) say(`Could not install them. Try: ${commandFor(missing)}`);
}

const commandFor = (missing) =>
  `apt-get install -y --no-install-recommends ${missing.map((tool) => tool.package).join(' ')}`;

function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

/** Only searched for, because importing some takes seconds. */
function hasModule(name) {
  const check = ['-c', `import importlib.util; raise SystemExit(not importlib.util.find_spec('${name}'))`];
  return ['/usr/bin/python3', 'python3'].some(
    (python) => spawnSync(python, check, { stdio: 'ignore' }).status === 0,
  );
}

/** Whether the distribution offers a package of that name. */
function isOffered(name) {
  return spawnSync('apt-cache', ['show', '--quiet', name], { stdio: 'ignore' }).status === 0;
}

function hasKernel(name) {
  return ['/usr/share', '/usr/local/share'].some((folder) =>
    existsSync(join(folder, 'jupyter', 'kernels', name, 'kernel.json')),
  );
}

function hasLibraryOfR(name) {
  return ['/usr/lib', '/usr/local/lib'].some((folder) => existsSync(join(folder, 'R/site-library', name)));
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

function say(text) {
  console.error(text);
}
