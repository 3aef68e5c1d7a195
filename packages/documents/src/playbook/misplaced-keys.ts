/**
 * Keys of other tools and dialects that authors write in places where v10 has none, with what to write instead.
 *
 * Owns: which words express a condition or a setting, and the advice for each place. Does not own: which keys a place
 * has.
 */

import { insteadOfField } from './foreign-fields.ts';

/** What a condition decides: whether something runs or is left out, which branch it takes, how often, over what. */
type Meaning = 'run' | 'skip' | 'branch' | 'retry' | 'repeat' | 'select';

const WORDS: Readonly<Record<Meaning, RegExp>> = {
  run: /^(when|if|cond|conditions?|guard|admit|(run|only|start|allow|continue)_?(if|when|on)|(skip|exclude)_?unless)$/,
  skip: /^(unless|(skip|exclude)_?(if|when|on)|(run|only|start|allow|continue)_?unless)$/,
  branch: /^(cases?|switch|else|elif|otherwise|(fail(ed)?|success)_?(if|when|on))$/,
  retry: /^(retry_?(if|when|unless|until|on|while)|retryable)$/,
  repeat: /^(until|while|(stop|break|exit|end|abort|cancel|repeat|loop)_?(if|when|unless|until|while|on))$/,
  select: /^(filter|where|selector)$/,
};

export function meaningOf(key: string): Meaning | undefined {
  return (Object.keys(WORDS) as Meaning[]).find((meaning) => WORDS[meaning].test(key));
}

/** A condition under a name other than `when`. */
export const isConditionWord = (key: string): boolean =>
  key === 'expr' || key === 'eval' || (!['when', 'else'].includes(key) && meaningOf(key) !== undefined);

type Place = 'step' | 'loop' | 'task' | 'arc' | 'rule' | 'elsewhere';

const PLACES: readonly (readonly [RegExp, Place])[] = [
  [/^a step$/, 'step'],
  [/^a loop$/, 'loop'],
  [/^a task( of kind .*)?$/, 'task'],
  [/^an arc$/, 'arc'],
  [/^a rule$/, 'rule'],
];

const placeOf = (what: string): Place => PLACES.find(([words]) => words.test(what))?.[1] ?? 'elsewhere';

const RETRY =
  'write a rule in `spec.policy.rules` of the task: {when: …, then: {do: retry, attempts: 3, delay: 1}}';
const REPEAT =
  'write a rule in `spec.policy.rules` of the task: `do: jump` goes back to a task, `do: break` ends the pipeline';
const SELECT = 'filter the list in `loop.in`, for example with `| selectattr(…)`';
const ELSEWHERE = 'write the condition as `when` of an arc or of a rule';

/** A skip rule alone would let errors pass: with rules, an outcome that none of them matches continues. */
const skipWhere = (guard: string) =>
  `write spec.policy.rules: [{when: ${guard}, then: {do: skip}}, {when: "{{ outcome.status == 'error' }}", then: {do: fail}}, {else: {then: {do: continue}}}]`;

const onlyWhen = (place: string, meaning: Meaning) =>
  `write \`${meaning === 'skip' ? 'when: "{{ not (…) }}"' : 'when'}\`, the only condition of ${place}`;

const ADVICE: Readonly<Record<Place, (meaning: Meaning) => string>> = {
  step: (meaning) =>
    ({
      run: 'write spec.policy.admit.rules: [{when: …, then: {allow: true}}]',
      skip: 'write spec.policy.admit.rules: [{when: …, then: {allow: false}}, {else: {then: {allow: true}}}]',
      branch:
        'write arcs with `when` under `next` to choose the next step, or rules in `spec.policy.rules` of a task to judge its outcome',
      retry: RETRY,
      repeat: REPEAT,
      select: SELECT,
    })[meaning],
  loop: (meaning) =>
    ({
      run: 'filter the list in `in`, for example with `| selectattr(…)`',
      skip: 'filter the list in `in`, for example with `| rejectattr(…)`',
      branch: 'judge the outcome of a task in its `spec.policy.rules`',
      retry: RETRY,
      repeat:
        'a loop runs over a list: to repeat until a condition is true, write rules of a task with `do: jump`, and `do: break` at the end',
      select: 'filter the list in `in`, for example with `| selectattr(…)`',
    })[meaning],
  task: (meaning) =>
    ({
      run: skipWhere('"{{ not (…) }}"'),
      skip: skipWhere('"{{ … }}"'),
      branch: 'write rules in `spec.policy.rules`: {when: …, then: {do: continue | jump | fail | …}}',
      retry: 'write a rule in `spec.policy.rules`: {when: …, then: {do: retry, attempts: 3, delay: 1}}',
      repeat:
        'write a rule in `spec.policy.rules`: `do: jump` goes back to a task, `do: break` ends the pipeline',
      select: 'filter in the template that makes the value',
    })[meaning],
  arc: (meaning) => (meaning === 'retry' ? RETRY : onlyWhen('an arc', meaning)),
  rule: (meaning) => onlyWhen('a rule', meaning),
  elsewhere: () => ELSEWHERE,
};

/** What to write instead of a condition under this key. */
export const conditionAdvice = (what: string, meaning: Meaning): string => ADVICE[placeOf(what)](meaning);

const OF_TASKS = ['timeout', 'memory_mb', 'env', 'io_policy', 'limit'];

/** The keys that `spec` of each place takes, and that are often written beside it. */
const SPEC_KEYS: Readonly<Record<string, readonly string[]>> = {
  executor: [...OF_TASKS, 'result', 'http', 'entry_step', 'labels', 'schedules'],
  'a step': [...OF_TASKS, 'http', 'join', 'labels'],
  'a loop': [...OF_TASKS, 'http', 'mode', 'max_in_flight'],
  next: ['mode'],
};
const POLICY_KEYS: Readonly<Record<string, readonly string[]>> = {
  'a step': ['admit', 'failure'],
  'a loop': ['exec', 'failure'],
};

/** Where under its own `spec` a key belongs. */
export function specPath(what: string, key: string): string | undefined {
  const isTask = placeOf(what) === 'task';
  if (isTask && key === 'rules') return 'spec.policy.rules';
  if (POLICY_KEYS[what]?.includes(key)) return `spec.policy.${key}`;
  const taken = isTask ? [...OF_TASKS, 'http'] : SPEC_KEYS[what];
  return taken?.includes(key) ? `spec.${key}` : undefined;
}

const RETRY_KEYS =
  'retry retries attempts max_attempts max_retries backoff delay retry_delay retry_policy'.split(' ');
const ORDER =
  'write arcs for the order: `next: {arcs: [{step: …}]}`, and `spec.join: all` on a step that waits for several';
const KEEP =
  'read the result in a later step by the name of this one, or keep a value under another name with `set_ctx`';
const HANDLE =
  'write an arc of the step: {step: …, when: "{{ event.name == \'step.failed\' }}"}, or rules in `spec.policy.rules` of the task';

const TRACES =
  'a server sends traces of all runs or of none: set OTEL_EXPORTER_OTLP_ENDPOINT when you start it';

/** What to write instead of other common keys. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(RETRY_KEYS.map((key) => [key, RETRY])),
  ...Object.fromEntries(
    'depends_on needs after requires deps dependencies'.split(' ').map((key) => [key, ORDER]),
  ),
  ...Object.fromEntries(
    'save sink output outputs return register vars set'.split(' ').map((key) => [key, KEEP]),
  ),
  ...Object.fromEntries(
    'catch rescue finally on_error on_failure on_success'.split(' ').map((key) => [key, HANDLE]),
  ),
  parallel:
    'to run the iterations of a loop in parallel, write `loop.spec: {mode: parallel, max_in_flight: 10}`',
  concurrency:
    'limit a loop with `loop.spec.max_in_flight`, and tasks with `spec.limit: {key: …, concurrency: …}`',
  join: 'write `spec.join: all` on the step that waits',
  mode: 'write it in `next.spec` (exclusive, inclusive) or in `loop.spec` (sequential, parallel)',
  max_in_flight: 'write it in `loop.spec`',
  labels: 'write it in `executor.spec`, or in `spec` of a step',
  schedules: 'write it in `executor.spec`',
  entry_step: 'write it in `executor.spec`',
  timeout: 'write it in `spec` of a task, or of the step, loop or executor around it',
  tracing: TRACES,
  telemetry: TRACES,
};

/** Fields of tools that are sometimes written in the `spec` of their task. */
const TOOL_FIELDS =
  'code input args method url endpoint command commands query params headers body data script auth credential host path'.split(
    ' ',
  );
/** Fields of steps that are sometimes indented too far. */
const STEP_FIELDS = ['loop', 'next', 'set_ctx'];
const SET_CTX = 'set_ctx: {name: …}';

/** Advice that is right in one place only. */
function insteadHere(what: string, key: string, known: readonly string[]): string | undefined {
  const isTask = placeOf(what) === 'task';
  if (what === "a task's spec" && TOOL_FIELDS.includes(key)) return 'move it next to `kind`';
  if (what === '`else`' && /^set(_\w+)?$/.test(key))
    return `write \`else: {then: {do: continue, ${key === 'set' ? SET_CTX : `${key}: {name: …}`}}}\``;
  if (what === 'an arc' && /^set(_ctx)?$/.test(key))
    return `write \`${SET_CTX}\` on the step, or pass the values with \`args\` of the arc`;
  if (key === 'set' && known.includes('set_ctx')) return `write \`${SET_CTX}\``;
  if (key === 'input' && known.includes('args')) return 'write `args: {…}`';
  if (key === 'input' && isTask) return 'move its fields next to `kind`';
  if (key === 'input' && what === 'a playbook') return 'put inputs in `workload`';
  if (key === 'enabled' && what === 'a step')
    return 'to skip a step, write spec.policy.admit.rules: [{else: {then: {allow: false}}}]';
  if (key === 'defaults' && what === "the executor's policy")
    return 'write defaults in `executor.spec`, for example `timeout: 30`';
  if ((key === 'results' && what === "the executor's policy") || (key === 'output_select' && isTask))
    return 'remove it: Woof stores large results by reference, and templates read the value';
  if (key === 'pool' && what === 'a task of kind postgres') return 'remove it: Woof pools connections itself';
  if (isTask && STEP_FIELDS.includes(key)) return 'move it to the step, next to `tool`';
  if (key === 'spec' && what === 'a playbook')
    return 'put inputs in `workload`, and settings in `executor.spec`';
  if ((key === 'auth' || key === 'credential') && what === 'a task of kind python')
    return 'pass the values that the code needs: args: {token: "{{ keychain.NAME }}"}';
  if (what === 'a step' && TOOL_FIELDS.includes(key)) return 'move it into `tool`, next to `kind`';
  return undefined;
}

export const insteadOf = (what: string, key: string, known: readonly string[]): string | undefined =>
  insteadOfField(what, key) ??
  insteadHere(what, key, known) ??
  (Object.hasOwn(INSTEAD, key) ? INSTEAD[key] : undefined);

/** Meant for readers, so nothing is lost if a place does not keep it. */
export const isProse = (key: string): boolean =>
  /^(desc|description|title|comments?|notes?|docs?|summary|tags|author)$/.test(key);
