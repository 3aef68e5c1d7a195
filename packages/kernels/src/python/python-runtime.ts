import { findInterpreter } from '@woof/sandbox/python-interpreter';
import { identityOf } from '../program-runtime.ts';
import type { RuntimeSources } from '../runtime-sources.ts';

export async function pythonRuntime(sources: RuntimeSources): Promise<string> {
  const { executable } = await findInterpreter('', sources.sandbox);
  const python = identityOf(executable);
  const environment = await environmentOf(sources);
  return environment ? `${python} in ${environment}` : python;
}

async function environmentOf({
  environments: root,
  requirements = [],
}: RuntimeSources): Promise<string | undefined> {
  if (root === undefined || requirements.length === 0) return undefined;
  const { findEnvironment } = await import('./python-environment.ts');
  return findEnvironment({ root, requirements });
}
