/** Bash cells: requests are zero-terminated fields, values are written in bash syntax. */
import { encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { findProgram } from '@woof/sandbox';
import type { Driver, Request } from '../driver.ts';
import BASH_CORE from './bash-core.sh?raw';

const UNIX_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const bashDriver: Driver = {
  language: 'bash',
  channel: 'descriptor',
  interrupts: false,
  captures: false,
  checksPolicy: false,
  moves: true,
  tables: 'csv',
  refuse: ({ allow_shell }, { shell }) =>
    allow_shell
      ? undefined
      : `a bash cell starts other programs, which ${shell} (type=bash implies sidefx=shell)`,
  async launch(_spec, tmp) {
    const bash = findProgram('bash');
    if (bash === undefined) throw new Error('bash is not on the PATH: install the package bash');
    const channel = ['3', '1', '2', ''];
    return {
      argv: [bash, '--norc', '--noprofile', '-c', BASH_CORE, 'bash', BASH_CORE, tmp, ...channel],
      env: {},
      readOnly: [],
    };
  },
  encode(request) {
    const [cell, code] = fields(request);
    return [request.do, request.n, request.token, cell, code]
      .map((field) => `${withoutZero(String(field))}\0`)
      .join('');
  },
};

function fields(request: Request): [cell: string, code: string] {
  switch (request.do) {
    case 'run':
      return [request.cell, request.code];
    case 'read':
      return ['', UNIX_NAME.test(request.name) ? request.name : '__woof_none'];
    case 'bind':
      return ['', binding(request)];
    case 'load':
      return ['', request.state];
    case 'hello':
      return ['', greeting(request.parameters, request.tmp)];
    default:
      return ['', ':'];
  }
}

function greeting(parameters: JsonObject, tmp: string): string {
  const map = Object.entries(parameters).map(([key, value]) => `[${quote(key)}]=${quote(text(value))}`);
  return `mkdir -p ${quote(`${tmp}/.woof-bash`)}
declare -gA parameters=(${map.join(' ')})
declare -gA __woof_provided __woof_bound
for __woof_name in $(compgen -v); do __woof_provided[$__woof_name]=1; done
declare -gA woof=([parameters]=${quote(encodeJson(parameters))})`;
}

/** Text, numbers, and flat lists and maps become native bash values. Anything deeper becomes JSON. */
function binding({ id, value, gentle }: Extract<Request, { do: 'bind' }>): string {
  const whole = `woof[${quote(id)}]=${quote(text(value))}`;
  if (!UNIX_NAME.test(id) || id === 'woof' || id === 'parameters' || id === '_') return whole;
  const declared = `${declaration(id, value)}; __woof_bound[${id}]=1`;
  const isFree = `[[ -n \${__woof_bound[${id}]} ]] || ! declare -p ${id} &>/dev/null`;
  return `${whole}\n${gentle ? `if ${isFree}; then ${declared}; fi` : declared}`;
}

function declaration(id: string, value: Json): string {
  if (Array.isArray(value)) return `declare -ga ${id}=(${value.map((item) => quote(text(item))).join(' ')})`;
  if (!isObject(value)) return `declare -g ${id}=${quote(text(value))}`;
  const map = Object.entries(value).map(([key, item]) => `[${quote(key)}]=${quote(text(item))}`);
  return `declare -gA ${id}=(${map.join(' ')})`;
}

function text(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : encodeJson(value);
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function withoutZero(value: string): string {
  return value.replaceAll('\0', '');
}
