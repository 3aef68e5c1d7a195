/** Asks a Python interpreter about itself. Separate from `python-interpreter.ts`, which seldom needs to ask. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const ASK = `import sys, site
minor = sys.version_info[1] if sys.version_info[0] == 3 else 0
print('\\n'.join([sys.executable, str(minor)] + sorted({sys.prefix, sys.base_prefix, *sys.path})))`;

export async function askInterpreter(
  path: string,
): Promise<{ executable: string; minor: number; paths: string[] }> {
  const { stdout } = await promisify(execFile)(path, ['-I', '-c', ASK], { env: {}, encoding: 'utf8' });
  const [executable = path, minor, ...paths] = stdout.trim().split('\n');
  return { executable, minor: Number(minor), paths };
}
