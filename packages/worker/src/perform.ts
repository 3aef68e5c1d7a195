/** Performs one task once: renders its input, calls its tool and returns the outcome. */
import { isTemplate } from '@woof/expr';
import {
  entriesRead,
  failure,
  isNamedCall,
  type Json,
  type JsonObject,
  type Outcome,
  RenderError,
  renderObject,
  StepScope,
  type Task,
  usedKeychain,
} from '@woof/net';
import type { Parked } from '@woof/tools';
import { callPlaybook } from './call-playbook.ts';
import { callTool } from './call-tool.ts';
import { guard } from './keychain/guard.ts';
import type { Keychain } from './keychain/keychain.ts';
import { KeychainFault } from './keychain/keychain-fault.ts';
import { refuseNamedByData } from './keychain/named-by-data.ts';
import { type HowToSet, tellUndeclared, tellUnknownEntry } from './keychain/unknown-entry.ts';
import { schemaOf } from './own-kinds.ts';
import { performCell } from './perform-cell.ts';
import { performExec } from './perform-exec.ts';
import { performNamed } from './perform-named.ts';
import type { Performance } from './performance.ts';
import { type JobStores, storedFailure } from './result-store/job-stores.ts';
import { settledInput } from './task-input.ts';
import { withGiven } from './with-given.ts';
import { withValues } from './with-values.ts';

/** Kinds whose input contains no templates. */
const LITERAL: ReadonlyMap<string, (performance: Performance) => Promise<Outcome | Parked>> = new Map([
  ['cell', performCell],
  ['exec', performExec],
]);

/** Kinds that the worker performs without a tool. Their input is stored in a log, so it contains no secrets. */
const CALLS: ReadonlyMap<string, typeof callPlaybook> = new Map([['playbook', callPlaybook]]);

export async function perform(performance: Performance): Promise<Outcome | Parked> {
  const { task } = performance;
  try {
    const performLiteral = LITERAL.get(task.kind);
    if (performLiteral) return await performLiteral(performance);
    const keychain = usedKeychain(performance.assignment.plan).length > 0 && (await performance.job.unlock());
    if (!keychain) return await performWith(performance, undefined);
    const seen = keychain.values;
    const outcome = await performWith(performance, keychain);
    // A named task has already had its second attempt.
    const wasRefused = !isNamedCall(task) && outcome.status === 'error' && outcome.http?.status === 401;
    if (!wasRefused || !(await keychain.renew(entriesOf(task), seen))) return outcome;
    return await performWith(performance, keychain);
  } catch (error) {
    if (error instanceof RenderError) return renderFailure(error, performance);
    if (error instanceof KeychainFault)
      return failure('auth', `${error.message}; ${error.fix}`, { retryable: error.retryable });
    return (
      storedFailure(error) ??
      failure('unknown', `the ${task.kind} task failed unexpectedly: ${(error as Error).message}`)
    );
  }
}

function renderFailure(error: RenderError, performance: Performance): Outcome {
  const message = tellUndeclared(error, performance.assignment.plan, howToSet(performance));
  return { status: 'error', error: { ...error.toError(), message } };
}

async function performWith(outer: Performance, keychain: Keychain | undefined): Promise<Outcome | Parked> {
  const { task } = outer;
  const open = keychain ? unlocked(outer, keychain) : outer;
  const fields = rendered(open, task.input, '', (given) => inputOf(outer, given));
  const input = fields instanceof Promise ? await fields : fields;
  if (isNamedCall(task)) return performNamed(outer, input, perform);
  const knobs = rendered(open, task.spec, '/spec', (given) => settledInput(given, {}, outer.port.host));
  const spec = knobs instanceof Promise ? await knobs : knobs;
  const performance = outer.stores
    ? await storing(outer, outer.stores, keychain?.withCredentials(spec, task.spec) ?? spec)
    : outer;
  const callOwn = CALLS.get(task.kind);
  if (callOwn)
    return callOwn(performance, (keychain?.redactor.json(input) as JsonObject | undefined) ?? input, spec);
  const { plan } = outer.assignment;
  const told = (outcome: Outcome | Parked) => tellUnknownEntry(outcome, plan, task, input, howToSet(outer));
  if (keychain) return told(await callGuarded(performance, input, spec, keychain));
  refuseNamedByData(plan.keychain, input, task.input);
  return told(await callTool(performance, input, spec));
}

function howToSet({ options, assignment }: Performance): HowToSet {
  return (name, fields) =>
    options.keychains?.howToSet(assignment, name, fields) ?? `woof secret set ${[name, ...fields].join(' ')}`;
}

async function callGuarded(
  performance: Performance,
  input: JsonObject,
  spec: JsonObject,
  keychain: Keychain,
): Promise<Outcome | Parked> {
  const { task } = performance;
  const guarded = guard(performance, keychain.redactor);
  try {
    const from = schemaOf(task.kind, performance.options.tools)?.credentialFrom;
    const unnamed = keychain.withCredentials(named(from, input), named(from, task.input));
    return await callTool(guarded, unnamed, spec);
  } finally {
    guarded.flush();
  }
}

/** The input with the entry under the name that all other kinds use for it. */
function named(from: string | undefined, input: JsonObject): JsonObject {
  return from === undefined ? input : { credential: input[from] ?? null, ...input };
}

/** The tool stores its values where the document wants them. */
async function storing(performance: Performance, stores: JobStores, spec: JsonObject): Promise<Performance> {
  const { options } = performance;
  const blobs = stores.blobs(await stores.choose(spec), options.blobs);
  return { ...performance, options: { ...options, blobs } };
}

/** The performance with the keychain visible to templates. */
function unlocked(performance: Performance, { values: keychain }: Keychain): Performance {
  const { site, world, locals } = performance;
  return { ...performance, site: { ...site, scope: new StepScope({ ...world, keychain }, locals) } };
}

/** The entries whose tokens a task used, as far as its text shows. */
function entriesOf({ input, spec }: Task): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (value: Json): void => {
    if (typeof value === 'string') {
      if (!isTemplate(value)) names.add(value);
      else for (const name of entriesRead(value)) names.add(name);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look);
  };
  look([input, spec]);
  return names;
}

function rendered(
  { port, site }: Pick<Performance, 'port' | 'site'>,
  template: JsonObject,
  path: string,
  settle: (given: JsonObject) => JsonObject,
): Evaluated {
  return withValues(port, () => settle(renderObject(template, site, path)));
}

function inputOf({ task, given, options, port }: Performance, fields: JsonObject): JsonObject {
  const schema = schemaOf(task.kind, options.tools);
  return settledInput(withGiven(fields, given), schema?.fields ?? {}, port.host);
}

type Evaluated = JsonObject | Promise<JsonObject>;
