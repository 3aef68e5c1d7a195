// Prepares a fresh clone: packages, bundles, and what the machine lacks. Needs only Node. A second run finds its stamps
// and exits at once. WOOF_NO_INSTALL=1 limits it to packages and bundles, in this folder.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, markBuilt } from './build-stamp.mjs';
import { mayInstall, provideTools } from './machine-tools.mjs';
import { otherNodes, provideNode } from './nodes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const forTests = process.argv.includes('--test');

checkNode();
installPackages();
buildBundles();
provideTools({ forTests });
if (forTests) provideNodes();

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
  say('Installing the packages that Woof is built from into node_modules (npm ci) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci failed; its output is above.');
  writeFileSync(stamp, hash);
}

function buildBundles() {
  if (isBuilt(root)) return;
  say('Building …');
  run(
    process.execPath,
    [join(root, 'scripts', 'build.mjs'), '--bench'],
    'The build failed; its output is above.',
  );
  markBuilt(root);
}

/** The suite runs on this Node; the other supported versions run the short smoke test. */
function provideNodes() {
  const missing = otherNodes().filter((node) => !node.present);
  if (missing.length === 0) return;
  const versions = missing.map(({ version }) => version).join(' and ');
  if (!mayInstall()) {
    say(`WOOF_NO_INSTALL is set, so Node ${versions} is not downloaded and the tests do not run on it.`);
    return;
  }
  say(`Downloading Node ${versions} from npm into dist/nodes: the tests run on every supported version …`);
  for (const { version } of missing) {
    try {
      provideNode(version);
    } catch (error) {
      say(`Could not get Node ${version}, so the tests do not run on it: ${error.message}`);
    }
  }
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
