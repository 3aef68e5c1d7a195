/** What given code may do: what the document's spec allows, plus what the user at the terminal granted. */
import { failure, type JsonObject, type Outcome } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { booleanField, objectField } from './fields.ts';
import type { IoPolicy, ToolContext } from './tool.ts';

export function effectivePolicy(spec: JsonObject, { granted }: ToolContext): IoPolicy {
  const own = objectField(spec, 'io_policy') ?? {};
  const allows = (key: keyof IoPolicy) => granted[key] || (booleanField(own, key) ?? false);
  return {
    allow_files: allows('allow_files'),
    allow_network: allows('allow_network'),
    allow_shell: allows('allow_shell'),
  };
}

/** The initial environment of given code, apart from its temporary folder. It contains nothing of the host's. */
export function baseEnv(policy: IoPolicy): Record<string, string> {
  const env = { LANG: 'C.UTF-8', USER: 'nobody', LOGNAME: 'nobody' };
  return policy.allow_shell ? { ...env, PATH: '/usr/local/bin:/usr/bin:/bin' } : env;
}

/** The outcome of a task that may not run here; undefined if it may. */
export async function refuseWithoutSandbox({ sandbox }: ToolContext): Promise<Outcome | undefined> {
  if (!sandbox) return undefined;
  const probe = await probeSandbox();
  return probe.available ? undefined : failure('policy', sandboxRefusal(probe), { code: 'no_sandbox' });
}

/** The text after the name of what a task may not do. */
export function denied(key: 'files' | 'network' | 'shell'): string {
  return `is not allowed: set spec.io_policy.allow_${key}: true, or run with --allow ${key}`;
}
