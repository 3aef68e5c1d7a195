/**
 * Checks what a notebook's header requires of the machine (`env`), before anything runs; `--install` installs what is
 * missing.
 */
import type { Notebook } from '@woof/documents';
import { isObject } from '@woof/net';
import { environmentsOf, locateData } from './data-directory.ts';
import { makeFolder } from './make-folder.ts';
import { UserError } from './user-error.ts';

export interface EnvironmentFlags {
  install?: true;
  data?: string;
  quiet?: true;
}

/** The option of verbs that run notebooks. */
export const INSTALL = {
  doc: 'install missing env.requirements of a notebook into an environment in the data directory',
} as const;

export async function checkEnvironment(
  notebook: Notebook | undefined,
  flags: EnvironmentFlags,
): Promise<void> {
  const env = notebook?.header.data.env;
  if (!isObject(env)) return;
  if (isObject(env.container)) return checkContainer(flags);
  if (!flags.quiet) await compareVersion(env.python);
  const requirements = Array.isArray(env.requirements) ? env.requirements.map(String) : [];
  if (requirements.length > 0) await meet(requirements, flags);
}

/** Most code runs on versions close to the one it names, so a difference is reported, not refused. */
async function compareVersion(wanted: unknown): Promise<void> {
  const asked = /^\d+\.\d+/.exec(String(wanted ?? ''))?.[0];
  if (asked === undefined) return;
  const { runtimeOf } = await import('@woof/kernels/runtime-of');
  const [, found] = /^python(\d+\.\d+) /.exec(await runtimeOf({ language: 'python' })) ?? [];
  if (found === undefined || found === asked) return;
  process.stderr.write(`warning: env.python is ${wanted}, but the python3 in use is ${found}\n`);
}

/** What the image contains is not Woof's concern: requirements are not checked in addition. */
async function checkContainer({ install }: EnvironmentFlags): Promise<void> {
  if (install)
    throw new UserError(
      '--install has no effect with env.container: the image contains the packages',
      'leave --install out',
      2,
    );
  const { findContainerEngine } = await import('@woof/sandbox/container-engine');
  try {
    await findContainerEngine();
  } catch (error) {
    throw new UserError(
      `env.container: ${(error as Error).message}`,
      'start docker, install podman, or remove env.container from the header',
      1,
    );
  }
}

async function meet(requirements: string[], flags: EnvironmentFlags): Promise<void> {
  const root = environmentsOf(locateData(flags.data));
  const { findEnvironment, unmetRequirements } = await import('@woof/kernels');
  if (await findEnvironment({ root, requirements })) return;
  const unmet = await unmetRequirements(requirements);
  if (unmet.length === 0) return;
  if (flags.install) return install(root, requirements, flags);
  const list = unmet.map(({ requirement, found }) => `${requirement}: ${found}`).join('; ');
  throw new UserError(
    `env.requirements are not met: ${list}`,
    'run the command again with --install, or install the packages for the python3 on the PATH',
    2,
  );
}

async function install(root: string, requirements: string[], flags: EnvironmentFlags): Promise<void> {
  const { installEnvironment } = await import('@woof/kernels');
  if (!flags.quiet) process.stderr.write(`installing ${requirements.join(', ')} into ${root}\n`);
  makeFolder(root);
  try {
    await installEnvironment({ root, requirements });
  } catch (error) {
    throw new UserError(
      `env.requirements cannot be installed: ${(error as Error).message}`,
      'correct the list, or what pip needs (PIP_INDEX_URL, PIP_FIND_LINKS, a proxy), then run the command again',
      1,
    );
  }
}
