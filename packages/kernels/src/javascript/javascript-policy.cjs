// The part of the JavaScript driver that refuses what the running cell did not declare.
//
// Node has no audit hook, so this code wraps the functions of its modules. It gives clear messages and limits cells
// that share a kernel with a cell that may do more. The boundary is the sandbox.

const place = { workdir: '', tmp: '', hidden: [], denials: {} };
let policy = { allow_files: false, allow_network: false, allow_shell: false };
const setPolicy = (declared) => {
  policy = declared;
};

class PolicyError extends Error {
  constructor(message) {
    super(message);
    this.name = 'PolicyError';
    this.code = 'EACCES';
  }
}

function refuse(what, key) {
  throw new PolicyError(`${what} ${place.denials[key]}`);
}

const within = (file, folder) => folder !== '' && (file === folder || file.startsWith(`${folder}/`));
const realpath = fs.realpathSync.native;
function resolved(file) {
  const full = path.resolve(file);
  try {
    return realpath(full);
  } catch {}
  try {
    return path.join(realpath(path.dirname(full)), path.basename(full));
  } catch {
    return full;
  }
}

function checkFile(target) {
  if (target === undefined || target === null || typeof target === 'number') return;
  const file = resolved(target instanceof URL ? require('node:url').fileURLToPath(target) : String(target));
  if (!within(file, place.workdir)) return checkOutside(file);
  if (!policy.allow_files) refuse(`access to the file ${target}`, 'files');
  if ([`${place.workdir}/.woof`, ...place.hidden].some((folder) => within(file, folder))) onlyFolder(target);
}

const onlyFolder = (file) => refuse(`access to the file ${file}`, 'outside');
const SYSTEM = [
  `${path.dirname(path.dirname(process.execPath))}/lib`,
  '/usr/lib',
  '/usr/share',
  '/usr/local/lib',
  '/etc/ssl',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/dev',
  '/proc/self',
];
function checkOutside(file) {
  if (within(file, place.tmp) || SYSTEM.some((folder) => within(file, folder))) return;
  if (policy.allow_shell && within(file, '/usr')) return;
  onlyFolder(file);
}

const TWO = new Set(['rename', 'link', 'symlink', 'copyFile', 'cp']);
const NO_PATH =
  /^(f[a-z]+|read|readv|write|writev|close|access|exists|stat|lstat|statfs|realpath|readlink|fdatasync|fsync)$/;

function wrap(owner, name, check) {
  const original = owner[name];
  if (typeof original !== 'function') return;
  owner[name] = Object.assign(function (...args) {
    check(...args);
    return Reflect.apply(original, this, args);
  }, original);
}

function patchFiles(module, suffix) {
  for (const name of Object.keys(module)) {
    const plain = suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
    if (!/^[a-z]/.test(name) || NO_PATH.test(plain) || plain === 'promises' || plain === 'constants')
      continue;
    wrap(
      module,
      name,
      TWO.has(plain)
        ? (a, b) => {
            checkFile(a);
            checkFile(b);
          }
        : (a) => checkFile(a),
    );
  }
}

// The standard streams, the channel and Node's own descriptors belong to the kernel: a cell that closes them would
// break the next cell. A cell opens only files with a path; pipes, sockets, epoll and eventfd are Node's.
const readlink = fs.readlinkSync;
function isOfKernel(fd) {
  if (!Number.isInteger(fd) || fd < 0) return false;
  if (fd <= CHANNEL) return true;
  try {
    return !readlink(`/proc/self/fd/${fd}`).startsWith('/');
  } catch {
    return false;
  }
}

function keepOpen() {
  const { close, closeSync } = fs;
  fs.closeSync = (fd) => (isOfKernel(fd) ? undefined : closeSync(fd));
  fs.close = (fd, done = () => {}) => (isOfKernel(fd) ? process.nextTick(done, null) : close(fd, done));
}

const network = () => {
  if (!policy.allow_network) refuse('network access', 'network');
};
const shell = () => {
  if (!policy.allow_shell) refuse('starting another program', 'shell');
};
const connects = (options) => {
  const first = Array.isArray(options) ? options[0] : options;
  if (first !== null && typeof first === 'object' && first.path) checkFile(first.path);
  else network();
};

// Each module is loaded when a cell first needs it: loading all of them would double the start-up time.
function patch() {
  keepOpen();
  patchFiles(fs, 'Sync');
  patchFiles(fs.promises);
  wrap(globalThis, 'fetch', network);
  const seen = new Set();
  const Module = require('node:module');
  const load = Module._load;
  const gate = {
    child_process: (m) => {
      for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
        wrap(m, name, shell);
      wrap(m.ChildProcess.prototype, 'spawn', shell);
    },
    net: (m) => {
      wrap(m.Socket.prototype, 'connect', connects);
      wrap(m.Server.prototype, 'listen', network);
    },
    dgram: (m) => {
      for (const name of ['bind', 'send', 'connect']) wrap(m.Socket.prototype, name, network);
    },
    dns: (m) => {
      for (const name of Object.keys(m))
        if (/^(lookup|resolve|reverse)/.test(name)) {
          wrap(m, name, network);
          wrap(m.promises, name, network);
        }
    },
    worker_threads: (m) => {
      const { Worker } = m;
      m.Worker = class extends Worker {
        constructor(...args) {
          shell();
          super(...args);
        }
      };
    },
  };
  const NEEDS = {
    http: ['net', 'dns'],
    https: ['net', 'dns'],
    tls: ['net', 'dns'],
    http2: ['net', 'dns'],
    cluster: ['child_process'],
    'dns/promises': ['dns'],
  };
  const open = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const needed of NEEDS[name] ?? []) open(needed);
    if (gate[name]) {
      gate[name](load(name));
      Module.syncBuiltinESMExports();
    }
  };
  Module._load = function (name, ...rest) {
    open(String(name).replace(/^node:/, ''));
    return Reflect.apply(load, this, [name, ...rest]);
  };
  const builtin = process.getBuiltinModule;
  if (builtin)
    process.getBuiltinModule = (name) => {
      open(String(name).replace(/^node:/, ''));
      return builtin(name);
    };
  // An import statement for a builtin bypasses _load.
  openNamed = (code) => {
    for (const name of [...Object.keys(gate), ...Object.keys(NEEDS)]) if (code.includes(name)) open(name);
  };
  Module.syncBuiltinESMExports();
}
let openNamed;
