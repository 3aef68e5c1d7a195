// Programs in languages other than TypeScript: which files there are, and which of them run as one program.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const parts = (stem, names, extension) =>
  names.split(' ').map((name) => `packages/${stem}${name}.${extension}`);
const python = (names) => parts('kernels/src/python/python-', names, 'py');

/** Files that share one namespace, in the order in which they run. `given`: names from elsewhere; `end`: final code. */
const TOGETHER = [
  {
    files: python(
      'connect threads audit core scope execute cell display failure values pickle world stores capture',
    ),
  },
  {
    files: [
      ...python('threads audit'),
      ...parts('tools/src/python/python-', 'answer-driver task-driver zygote', 'py'),
    ],
  },
  {
    files: [...python('threads audit values pickle'), 'packages/kernels/src/jupyter/ipython-state.py'],
    given: ['SCOPE'],
  },
  {
    files: [
      'packages/workbook-page/src/notebook/python/pyodide-core.py',
      ...python('scope execute display failure values'),
    ],
    given: ['PARTS', 'say_output', 'say_stream'],
  },
  { files: ['scripts/python-for-pages.py'], given: ['ABSENT', 'COMPILED'] },
  {
    files: parts('kernels/src/javascript/javascript-', 'json core rewrite policy', 'cjs'),
    end: 'listen();\n',
  },
  { files: parts('kernels/src/jupyter/', 'jupyter-core zmtp', 'cjs') },
  { files: parts('tools/src/duckdb/', 'duckdb-driver duckdb-arrow-driver', 'cjs'), end: 'void main();\n' },
];

export const read = (file) => readFileSync(join(root, file), 'utf8');

const FILES = ['bench', 'e2e', 'packages', 'scripts']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => !file.includes('/node_modules/'))
  .sort();

export const filesOf = (pattern) => FILES.filter((file) => pattern.test(file));

/** All programs made of these files. A file that runs with no other is a program by itself. */
export function programsOf(files) {
  const together = TOGETHER.filter((program) => program.files.some((file) => files.includes(file)));
  const known = new Set(together.flatMap((program) => program.files));
  const alone = files.filter((file) => !known.has(file)).map((file) => ({ files: [file] }));
  return [...together, ...alone];
}

export const textOf = ({ files, end = '' }) => [...files.map(read), end].join('');

/** The file and line that correspond to a line of the whole program. */
export function placeOf({ files }, line) {
  let before = 0;
  for (const file of files) {
    const count = read(file).split('\n').length - 1;
    if (line <= before + count) return `${file}:${line - before}`;
    before += count;
  }
  return files.join(' + ');
}
