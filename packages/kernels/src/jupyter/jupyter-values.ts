/** How values get into a Jupyter kernel and out of it: code of its language. Others find them in files. */
import { encodeJson, type Json, type JsonObject } from '@woof/net';
import type { RequestBody } from '../driver.ts';
import { PYTHON_VALUES } from '../python/python-values.ts';
import { tablesToR, toR } from '../r/r-driver.ts';
import { R_JSON } from '../r/r-json.ts';

type Bind = Extract<RequestBody, { do: 'bind' }>;

export interface ValueWords {
  /** Run once: the parameters, and what the others need. */
  prelude(parameters: JsonObject): string;
  bind(request: Bind): string;
  /** Prints the fields of an answer between two marks. */
  read(name: string, tables: boolean): string;
}

const python: ValueWords = {
  prelude: (parameters) => `__woof__ = {'SCOPE': globals()}
exec(${JSON.stringify(PYTHON_VALUES)}, __woof__)
__woof__['begin'](${pythonValue(parameters)})`,
  bind: ({ id, value, tables, gentle }) =>
    `__woof__['bind_value'](${JSON.stringify(id)}, ${pythonValue(value)}, ${pythonValue(tables)}, ${gentle ? 'True' : 'False'})`,
  read: (name, tables) =>
    `print('\\x1e' + __woof__['read_value'](${JSON.stringify(name)}, ${tables ? 'True' : 'False'}), end='\\x1e', flush=True)`,
};

const r: ValueWords = {
  prelude: (parameters) => `.woof <- local({${R_JSON}
  environment()
})
parameters <- ${toR(parameters)}
woof <- list(parameters = parameters)`,
  bind: ({ id, value, tables, gentle }) =>
    `.woof$bind_value(${toR(id)}, ${toR(value)}, ${tablesToR(tables)}, ${toR(gentle)})`,
  read: (name, tables) => `cat("\\x1e", .woof$read_value(${toR(name)}, ${toR(tables)}), "\\x1e", sep = "")`,
};

const WORDS: Readonly<Record<string, ValueWords>> = { python, r };

export function valueWords(language: string): ValueWords | undefined {
  return Object.hasOwn(WORDS, language) ? WORDS[language] : undefined;
}

/** A text of JSON is a text of Python too. */
function pythonValue(value: Json): string {
  return `__woof__['json'].loads(${JSON.stringify(encodeJson(value))})`;
}
