import base64
import json
import sys
import types
from jinja2 import Environment, ChainableUndefined, Undefined, UndefinedError, pass_environment
from jinja2.runtime import Context, Macro
from markupsafe import Markup


def plain(v, depth=0):
    if isinstance(v, Markup):
        return str(v)
    if isinstance(
        v,
        (types.GeneratorType, map, filter, type(reversed([])), type(reversed({})), type(reversed(range(1)))),
    ):
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


class Used(UndefinedError, TypeError):
    pass


def use(self, *args, **kwargs):
    raise Used('undefined value used')


def never(self, other):
    return False


def always(self, other):
    return True


class Missing(ChainableUndefined):
    __str__ = __repr__ = __len__ = __iter__ = __html__ = use
    # Compares as Woof does: a missing value equals nothing, and is neither less nor greater.
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __contains__ = never
    __ne__ = always
    __hash__ = Undefined.__hash__


env = Environment(undefined=ChainableUndefined, extensions=['jinja2.ext.do'], autoescape=False, cache_size=0)
real = env.filters['tojson']


def unhtml(*args, **kwargs):
    text = str(real(*args, **kwargs))
    for code, char in (('003c', '<'), ('003e', '>'), ('0026', '&'), ('0027', "'")):
        text = text.replace('\\u' + code, char)
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


class DefinedArguments(Context):
    def call(self, called, *args, **kwargs):
        if not isinstance(called, Macro) and any(isinstance(v, Missing) for v in (*args, *kwargs.values())):
            use(None)
        return super().call(called, *args, **kwargs)


strict = env.overlay(undefined=Missing)
strict.context_class = DefinedArguments


def unless_missing(test):
    def holds(value, *args):
        return False if isinstance(value, Missing) else test(value, *args)

    return holds


strict.tests = {
    name: test
    if name in ('defined', 'undefined', 'ne', '!=') or hasattr(test, 'jinja_pass_arg')
    else unless_missing(test)
    for name, test in env.tests.items()
}


@pass_environment
def sort(environment, value, *args, **kwargs):
    items = list(value)
    if len(items) > 1 and any(isinstance(item, Missing) for item in items):
        raise TypeError('cannot order')
    return env.filters['sort'](environment, items, *args, **kwargs)


strict.filters = {**env.filters, 'sort': sort}


def run(case, context):
    env = strict if case.get('strict') else globals()['env']
    try:
        if case['kind'] == 'template':
            return {'text': env.from_string(case['source']).render(context)}
        value = env.compile_expression(case['source'], undefined_to_none=False)(**context)
        if isinstance(value, Undefined):
            return {'undefined': True}
        return {'text': repr([plain(value)])}
    except UndefinedError as e:
        return {'undefined': 'strict' in case, 'error': type(e).__name__ + ': ' + str(e)}
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
