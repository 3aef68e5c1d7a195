/** woof run FILE */
import { accountOf, type JsonObject } from '@woof/net';
import { readPlan } from '../read-plan.ts';
import { openRuntime } from '../runtime.ts';
import { applySets } from '../set-flags.ts';
import { UserError } from '../user-error.ts';

export interface RunFlags {
  set: string[];
  json?: boolean;
  data?: string;
  allow?: string;
  sandbox: boolean;
  upgrade?: boolean;
}

export async function run(file: string, flags: RunFlags): Promise<number> {
  const read = readPlan(file);
  if (!read.plan) {
    for (const diagnostic of read.diagnostics)
      console.error(
        `${file}:${diagnostic.line}:${diagnostic.column} ${diagnostic.severity} ${diagnostic.code} ${diagnostic.message}`,
      );
    return 2;
  }
  const workload = applySets(read.plan.workload, flags.set);
  const granted = grants(flags.allow);
  const runtime = openRuntime({ data: flags.data, sandbox: flags.sandbox });
  const id = await runtime.engine.start({
    plan: read.plan,
    source: read.source,
    workload,
    ...(granted ? { granted } : {}),
  });
  const state = await runtime.engine.finished(id);
  await runtime.close();
  const account = accountOf(state);
  if (flags.json) console.log(JSON.stringify(account));
  else console.log(`${account.status}  ${id}`);
  return account.status === 'succeeded' ? 0 : account.status === 'needs_human' ? 3 : 1;
}

function grants(allow: string | undefined): JsonObject | undefined {
  if (allow === undefined) return undefined;
  const granted: JsonObject = {};
  for (const word of allow.split(',')) {
    if (!['files', 'network', 'shell'].includes(word)) {
      throw new UserError(`--allow ${allow}: "${word}" is unknown`, 'choose of files, network, shell', 2);
    }
    granted[`allow_${word}`] = true;
  }
  return granted;
}
