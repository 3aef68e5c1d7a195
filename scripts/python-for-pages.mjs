// Builds what Python in a page needs (dist/python): the parts of Pyodide, packed as pages contain them, and a standard
// library that is smaller and starts faster. Modules that a page imports at its start, and those that cells import
// often, are compiled. Modules that no page can use are left out. The rest stays source, which compresses better.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const folder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));

const ABSENT = [
  '__phello__/ _pyrepl/ ctypes/macholib curses/ dbm/ ensurepip/ idlelib/ lib2to3/ multiprocessing/ pydoc_data/ sqlite3/ test/',
  'tkinter/ turtledemo/ unittest/ venv/ wsgiref/ xmlrpc/ _pydatetime.py _pydecimal.py _pyio.py antigravity.py cProfile.py',
  'doctest.py ftplib.py http/server.py imaplib.py mailbox.py pdb.py pickletools.py poplib.py profile.py pstats.py pydoc.py',
  'smtplib.py socketserver.py this.py trace.py tracemalloc.py turtle.py webbrowser.py zipapp.py encodings/big5 encodings/euc',
  'encodings/gb encodings/hp_ encodings/hz encodings/iso2022 encodings/johab encodings/koi encodings/kz encodings/mac_',
  'encodings/mbcs encodings/oem encodings/palmos encodings/ptcp encodings/shift encodings/tis encodings/cp7 encodings/cp8',
  'encodings/cp9 encodings/cp10 encodings/cp11',
].flatMap((line) => line.split(' '));

const COMPILED = [
  'asyncio base64 bisect calendar collections copy csv dataclasses datetime decimal enum fractions functools hashlib heapq html io',
  'itertools json linecache math operator pprint random re statistics string textwrap time traceback typing unicodedata',
  'urllib.parse uuid _strptime',
].flatMap((line) => line.split(' '));

const PROGRAM = readFileSync(new URL('python-for-pages.py', import.meta.url), 'utf8');

const files = { wasm: 'pyodide.asm.wasm', runtime: 'pyodide.asm.mjs', loader: 'pyodide.mjs' };

/** Takes seconds, so it is done once per version of Pyodide and of these programs. Returns the folder. */
export async function pythonForPages(target) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const stamp = createHash('sha256')
    .update(version)
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .update(PROGRAM)
    .digest('hex');
  if (read(join(target, 'stamp')) === stamp) return target;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const { loadPyodide } = await import('pyodide');
  const python = await loadPyodide();
  python.FS.writeFile('/source.zip', readFileSync(join(folder, 'python_stdlib.zip')));
  for (const [name, list] of Object.entries({ ABSENT, COMPILED }))
    python.globals.set(name, python.toPy(list));
  writeFileSync(join(target, 'python-modules.json'), python.runPython(PROGRAM));
  writeFileSync(join(target, 'python-library.gz'), packed(python.FS.readFile('/target.zip')));
  for (const [name, file] of Object.entries(files)) {
    writeFileSync(join(target, `python-${name}.gz`), packed(readFileSync(join(folder, file))));
  }
  const { info } = JSON.parse(readFileSync(join(folder, 'pyodide-lock.json'), 'utf8'));
  writeFileSync(join(target, 'python-lock.json'), JSON.stringify({ info, packages: {} }));
  writeFileSync(join(target, 'stamp'), stamp);
  return target;
}

const packed = (bytes) => gzipSync(bytes, { level: 9 });

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
