/** The version control state of a working directory, for the bundle: jj if used, otherwise git. Best effort. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram } from '@woof/sandbox';

const TIMEOUT_MS = 5000;
const MOST_BYTES = 1024 * 1024;

const JJ = [['--version'], ['status'], ['log', '--no-graph', '-r', '@', '-n', '1']];
const GIT = [
  ['rev-parse', 'HEAD'],
  ['status', '--porcelain'],
];

export async function repoSnapshot(workdir: string): Promise<string> {
  const tool = toolFor(workdir);
  if (tool === undefined) return '# no repository\n';
  const sections: string[] = [];
  for (const args of tool.commands) {
    sections.push(
      `# ${tool.name} ${args.join(' ')}\n${await say(tool.program, [...tool.quiet, ...args], workdir)}`,
    );
  }
  return sections.join('\n');
}

function toolFor(workdir: string) {
  const jj = findProgram('jj');
  if (jj && isUnder(workdir, '.jj'))
    return { name: 'jj', program: jj, commands: JJ, quiet: ['--no-pager', '--color=never'] };
  const git = findProgram('git');
  // Nothing that the repository configures may run here, and hooks and monitors are programs.
  const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '--no-optional-locks'];
  if (git && isUnder(workdir, '.git')) return { name: 'git', program: git, commands: GIT, quiet };
  return undefined;
}

function isUnder(folder: string, marker: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, marker))) return true;
    if (dirname(at) === at) return false;
  }
}

function say(program: string, args: string[], cwd: string): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
  };
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd, env, timeout: TIMEOUT_MS, maxBuffer: MOST_BYTES },
      (error, stdout, stderr) => {
        resolve(error ? `(failed: ${(stderr || error.message).trim()})\n` : stdout);
      },
    );
  });
}
