/** How values get into a Jupyter kernel and out of it: as code in its language, or as files for other languages. */
import { encodeJson, type Json } from '@woof/net';
import type { RequestBody } from '../driver.ts';
import PYTHON_AUDIT from '../python/python-audit.py?raw';
import PYTHON_PICKLE from '../python/python-pickle.py?raw';
import PYTHON_THREADS from '../python/python-threads.py?raw';
import PYTHON_VALUES from '../python/python-values.py?raw';
import { tablesToR, toR } from '../r/r-driver.ts';
import R_INTEGERS from '../r/r-integers.R?raw';
import R_JSON from '../r/r-json.R?raw';
import R_POLICY from '../r/r-policy.R?raw';
import R_STATE from '../r/r-state.R?raw';
import IPYTHON_STATE from './ipython-state.py?raw';

type Bind = Extract<RequestBody, { do: 'bind' }>;
type Hello = Extract<RequestBody, { do: 'hello' }>;

export interface ValueWords {
  /** Runs once: sets the parameters, what the other calls need, and the check that names the policy of a refusal. */
  prelude(hello: Hello): string;
  bind(request: Bind): string;
  /** Prints the fields of an answer between two marks. */
  read(name: string, tables: boolean): string;
  save: string;
  load(state: string): string;
}

const PYTHON = PYTHON_THREADS + PYTHON_AUDIT + PYTHON_VALUES + PYTHON_PICKLE + IPYTHON_STATE;

const python: ValueWords = {
  prelude: ({ parameters, policy, denials }) => `__woof__ = {'SCOPE': globals()}
exec(${JSON.stringify(PYTHON)}, __woof__)
__woof__['begin'](${pythonValue(parameters)})
__woof__['deny'](${pythonValue({ ...policy })}, ${pythonValue({ ...denials })})`,
  bind: ({ id, value, tables, gentle }) =>
    `__woof__['bind_value'](${JSON.stringify(id)}, ${pythonValue(value)}, ${pythonValue(tables)}, ${gentle ? 'True' : 'False'})`,
  read: (name, tables) =>
    `print('\\x1e' + __woof__['read_value'](${JSON.stringify(name)}, ${tables ? 'True' : 'False'}), end='\\x1e', flush=True)`,
  save: "print('\\x1e' + __woof__['save_state'](), end='\\x1e', flush=True)",
  load: (state) => `__woof__['load_state'](${JSON.stringify(state)})`,
};

const r: ValueWords = {
  prelude: ({ parameters, workdir, tmp, policy, denials }) => `.woof <- local({
${R_JSON}${R_INTEGERS}${R_STATE}${R_POLICY}
  environment()
})
.woof$set_policy(${toR({ workdir, tmp, policy: { ...policy }, denials: { ...denials } })})
parameters <- ${toR(parameters)}
woof <- list(parameters = parameters)`,
  bind: ({ id, value, tables, gentle }) =>
    `.woof$bind_value(${toR(id)}, ${toR(value)}, ${tablesToR(tables)}, ${toR(gentle)})`,
  read: (name, tables) => `cat("\\x1e", .woof$read_value(${toR(name)}, ${toR(tables)}), "\\x1e", sep = "")`,
  save: 'cat("\\x1e", .woof$save_state(), "\\x1e", sep = "")',
  load: (state) => `invisible(.woof$load_state(${toR(state)}))`,
};

const WORDS: Readonly<Record<string, ValueWords>> = { python, r };

export function valueWords(language: string): ValueWords | undefined {
  return Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
}

/** A JSON string literal is also a Python string literal. */
function pythonValue(value: Json): string {
  return `__woof__['json'].loads(${JSON.stringify(encodeJson(value))})`;
}
