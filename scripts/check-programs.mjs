// Checks programs in languages other than TypeScript: their format, lint findings, and that every name that they use is
// defined. --write formats them first. A missing tool is a failure. Biome checks the format of JavaScript.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PositionEncoding, Workspace } from '@astral-sh/ruff-wasm-nodejs';
import { filesOf, placeOf, programsOf, read, root, textOf } from './programs.mjs';

const PYTHON = filesOf(/\.py$/);
const JAVASCRIPT = filesOf(/^packages\/.*(\.cjs|-script\.js)$/);
const SHELL = filesOf(/\.(sh|bash)$/);
const R = filesOf(/\.R$/);
const SHELL_FORMAT = ['-ln', 'bash', '-i', '2', '-ci'];
const JAVASCRIPT_NAMES = {
  categories: { correctness: 'off' },
  env: { node: true, browser: true, builtin: true },
  rules: { 'no-undef': 'error', 'no-unused-vars': ['error', { args: 'none', ignoreRestSiblings: true }] },
};
const writes = process.argv.includes('--write');

const checks = {
  'format of Python': formatPython,
  'lint of Python': () => [...PYTHON.flatMap(lintPython), ...programsOf(PYTHON).flatMap(namesInPython)],
  'names in JavaScript': namesInJavaScript,
  'format of shell': () => run('shfmt', 'shfmt', [...SHELL_FORMAT, writes ? '-w' : '-d', ...SHELL]),
  'lint of shell': lintShell,
  'lint of R': () => run('Rscript', 'r-cran-lintr', ['--vanilla', join(root, 'scripts/lint.R'), ...R]),
};

const failed = Object.entries(checks).filter(([what, check]) => {
  const found = check();
  for (const line of found) console.log(line);
  if (found.length > 0) console.log(`FAIL ${what}`);
  return found.length > 0;
});
process.exit(failed.length > 0 ? 1 : 0);

function workspace(lint, more = {}) {
  const format = { 'quote-style': 'single' };
  const options = { 'line-length': 110, 'target-version': 'py38', format, lint, ...more };
  return new Workspace(options, PositionEncoding.Utf16);
}

function formatPython() {
  const ruff = workspace({});
  return PYTHON.flatMap((file) => {
    const formatted = ruff.format(read(file));
    if (formatted === read(file)) return [];
    if (!writes) return [`${file} is not formatted: run "node scripts/check-programs.mjs --write"`];
    writeFileSync(join(root, file), formatted);
    return [];
  });
}

/** Names from other files are known only in the whole program. */
function lintPython(file) {
  const ruff = workspace({ select: ['E4', 'E7', 'E9', 'F', 'W', 'B', 'PLE'], ignore: ['F821'] });
  return ruff
    .check(read(file))
    .map(({ code, message, start_location: at }) => `${file}:${at.row} ${code} ${message}`);
}

function namesInPython(program) {
  const ruff = workspace({ select: ['F821'] }, { builtins: program.given ?? [] });
  return ruff
    .check(textOf(program))
    .map(({ message, start_location: at }) => `${placeOf(program, at.row)} ${message}`);
}

function namesInJavaScript() {
  const folder = mkdtempSync(join(tmpdir(), 'woof-programs-'));
  const programs = programsOf(JAVASCRIPT);
  const fileOf = (index) => join(folder, `${index}.cjs`);
  writeFileSync(join(folder, 'oxlint.json'), JSON.stringify(JAVASCRIPT_NAMES));
  for (const [index, program] of programs.entries()) writeFileSync(fileOf(index), `{${textOf(program)}}`);
  const args = [
    '-c',
    join(folder, 'oxlint.json'),
    '--format=json',
    ...programs.map((_, index) => fileOf(index)),
  ];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), args, { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return JSON.parse(stdout).diagnostics.map(({ filename, message, labels }) => {
    const program = programs[programs.findIndex((_, index) => filename.endsWith(`/${index}.cjs`))];
    return `${placeOf(program, labels[0].span.line)} ${message}`;
  });
}

/** A program that is sourced, or passed to bash as text, does not name its shell. */
function lintShell() {
  const [own, bash] = [true, false].map((says) =>
    SHELL.filter((file) => read(file).startsWith('#!') === says),
  );
  const lint = (args) => run('shellcheck', 'shellcheck', ['--format=gcc', ...args]);
  return [...lint(own), ...lint(['--shell=bash', ...bash])];
}

/** Returns its output if it fails. */
function run(program, debian, args) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  const help = `run "node scripts/setup.mjs --test", or install the package ${debian}`;
  if (error) return [`${program} cannot be started (${error.code}): ${help}`];
  return status === 0 ? [] : [`${stdout}${stderr}`.trim() || `${program} failed: ${help}`];
}
