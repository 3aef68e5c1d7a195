/** Owns: the real Jinja2. All cases go through one Python process, as JSON in and JSON out. */
import { spawnSync } from 'node:child_process';

export interface JinjaCase {
  readonly kind: 'expression' | 'template';
  readonly source: string;
}

/** Text of the result (repr in a list for an expression), or how it failed. */
export interface JinjaResult {
  readonly text?: string;
  readonly undefined?: boolean;
  readonly error?: string;
}

const SCRIPT = `
import sys, json, base64, types
import jinja2
from jinja2 import Environment, ChainableUndefined, Undefined
from markupsafe import Markup

def plain(v, depth=0):
    if isinstance(v, Markup):
        return str(v)
    if isinstance(v, (types.GeneratorType, map, filter, type(reversed([])), type(reversed({})), type(reversed(range(1))))):
        return [plain(x) for x in v]
    if isinstance(v, Undefined):
        raise LookupError('undefined inside')
    if isinstance(v, list):
        return [plain(x) for x in v]
    if type(v).__name__ == '_GroupTuple':
        return tuple(plain(x) for x in v)
    if type(v) is tuple:
        return tuple(plain(x) for x in v)
    if isinstance(v, dict):
        return {plain(k): plain(x) for k, x in v.items()}
    return v

class Bound:
    pass

env = Environment(undefined=ChainableUndefined, extensions=['jinja2.ext.do'], autoescape=False, cache_size=0)
real = env.filters['tojson']
def unhtml(*args, **kwargs):
    text = str(real(*args, **kwargs))
    for code, char in (('003c', '<'), ('003e', '>'), ('0026', '&'), ('0027', "'")):
        text = text.replace('\\\\u' + code, char)
    return text
unhtml.jinja_pass_arg = real.jinja_pass_arg
env.filters['tojson'] = unhtml
for name in ('escape', 'e', 'forceescape', 'safe', 'urlize', 'striptags', 'xmlattr'):
    def wrap(f):
        def run(*args, **kwargs):
            return str(f(*args, **kwargs))
        if hasattr(f, 'jinja_pass_arg'):
            run.jinja_pass_arg = f.jinja_pass_arg
        return run
    env.filters[name] = wrap(env.filters[name])
env.filters['b64encode'] = lambda v: base64.b64encode(str(v).encode()).decode()
env.filters['b64decode'] = lambda v: base64.b64decode(v).decode()
env.filters['from_json'] = json.loads
env.filters['fromjson'] = json.loads

def run(case, context):
    try:
        if case['kind'] == 'template':
            return {'text': env.from_string(case['source']).render(context)}
        value = env.compile_expression(case['source'], undefined_to_none=False)(**context)
        if isinstance(value, Undefined):
            return {'undefined': True}
        return {'text': repr([plain(value)])}
    except LookupError as e:
        if str(e) == 'undefined inside':
            return {'undefined': True}
        return {'error': type(e).__name__ + ': ' + str(e)}
    except RecursionError:
        return {'error': 'RecursionError'}
    except Exception as e:
        return {'error': type(e).__name__ + ': ' + str(e)}

request = json.load(sys.stdin)
context = json.dumps(request['context'])
json.dump([run(case, json.loads(context)) for case in request['cases']], sys.stdout)
`;

export function findJinja(): { python: string } | { reason: string } {
  for (const python of ['/usr/bin/python3', 'python3']) {
    const probe = spawnSync(python, ['-c', 'import jinja2'], { encoding: 'utf8' });
    if (probe.status === 0) return { python };
  }
  return { reason: 'no python3 with jinja2 was found' };
}

export function runJinja(python: string, cases: readonly JinjaCase[], context: unknown): JinjaResult[] {
  const input = JSON.stringify({ cases, context });
  const done = spawnSync(python, ['-c', SCRIPT], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`Jinja2 failed: ${done.stderr}`);
  return JSON.parse(done.stdout) as JinjaResult[];
}
