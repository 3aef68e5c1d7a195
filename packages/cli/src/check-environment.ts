/** What a notebook's header asks of the machine (`env`), before anything runs. */
import type { Notebook } from '@woof/documents';
import { isObject } from '@woof/net';
import { UserError } from './user-error.ts';

export async function checkEnvironment(notebook: Notebook | undefined): Promise<void> {
  const env = notebook?.header.data.env;
  if (!isObject(env)) return;
  if (env.container !== undefined) {
    throw new UserError(
      'env.container: this version does not run cells in containers',
      'remove it, or install what it holds here',
      1,
    );
  }
  const requirements = Array.isArray(env.requirements) ? env.requirements.map(String) : [];
  if (requirements.length === 0) return;
  const { unmetRequirements } = await import('@woof/kernels');
  const unmet = await unmetRequirements(requirements);
  if (unmet.length === 0) return;
  const list = unmet.map(({ requirement, found }) => `${requirement}: ${found}`).join('; ');
  throw new UserError(
    `env.requirements are not met: ${list}`,
    'install them for the python3 on the PATH, then run again',
    1,
  );
}
