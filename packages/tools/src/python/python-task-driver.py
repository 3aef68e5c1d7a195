# The part of the driver that runs in the forked child: binds the arguments, runs the code, reports how it ended.
#
# It answers on its result descriptor with one line of JSON and, for a value, the value as JSON. The task's code can
# write there too, but that forges only its own result.

# Imported before the fork, and few: only what every task needs.
import ast
import atexit
import builtins
import importlib
import json
import linecache
import os
import sys
import types


def TASK_MAIN(request, response):
    with os.fdopen(request, 'rb') as f:
        task = json.loads(f.read())
    head, body = attempt(task)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    data = memoryview(json.dumps(head).encode() + b'\n' + body)
    while data:
        data = data[os.write(response, data) :]


def attempt(task):
    try:
        prepare_process(task)
        found, value = execute(task)
        if not found:
            finish_threads()
            return {'kind': 'output'}, b''
        body = to_json(value).encode()
        finish_threads()
    except NotJson as e:
        return {'kind': 'not_json', 'message': str(e)}, b''
    except BaseException as e:
        return describe(e, task['name']), b''
    if len(body) > task['max_result_bytes']:
        return {'kind': 'too_large', 'size': len(body)}, b''
    return {'kind': 'value'}, body


def finish_threads():
    if 'threading' in sys.modules:
        sys.modules['threading']._shutdown()
    atexit._run_exitfuncs()


NOT_ALLOWED = 'is not allowed: set spec.io_policy.allow_%s: true, or run with --allow %s'
DENIALS = {
    **{key: NOT_ALLOWED % (key, key) for key in ('files', 'network', 'shell')},
    'outside': 'is not allowed: spec.io_policy.allow_files (--allow files) allows only the folder of the document',
}
# Before the fork, because resolving them costs as much as the rest of a small task.
system_folders()


def prepare_process(task):
    try:
        with open('/proc/self/oom_score_adj', 'w') as f:
            f.write('1000')
    except OSError:
        pass
    os.environ.clear()
    os.environ.update(task['env'])
    if 'TZ' in task['env']:
        import time

        time.tzset()
    os.chdir(task['workdir'])
    null = os.open('/dev/null', os.O_RDONLY)
    if null != 0:
        os.dup2(null, 0)
        os.close(null)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    sys.stdout = sys.__stdout__ = open(1, 'w', 1, 'utf-8', 'backslashreplace', closefd=False)
    sys.stderr = sys.__stderr__ = open(2, 'w', 1, 'utf-8', 'backslashreplace', closefd=False)
    if task['policy']['allow_files']:
        sys.path.insert(0, task['workdir'])
    sys.path[0:0] = [p for p in task['env'].get('PYTHONPATH', '').split(':') if p]
    sys.argv = [task['name']]
    builtins.PolicyError = PolicyError
    set_running('', task['policy'])
    start_audit(task['policy'], DENIALS, task['workdir'], task['tmp'], task['hidden'])


def execute(task):
    args, name = task['args'], task['name']
    main = types.ModuleType('__main__')
    sys.modules['__main__'] = main
    scope = main.__dict__
    scope['__file__'] = name
    known = given_names(task)
    scope.update({k: v for k, v in args.items() if not k.startswith('__')})
    scope.update(known)
    given = scope.get('result')
    text = task['code']
    # Python computes wrong columns for a last line without a line ending.
    linecache.cache[name] = (len(text), None, (text + '\n').splitlines(True), name)
    bind_libraries(task['libs'], scope)
    code, wrapped = compile_task(text, name)
    exec(code, scope)
    if wrapped:
        value = scope.pop('__woof_task__')()
        if value is not RETURNED_NOTHING:
            return True, settled(value)
    if 'result' in scope and not ('result' in args and scope['result'] is given):
        return True, settled(scope['result'])
    if callable(scope.get('main')):
        return True, settled(call_main(scope['main'], args, known))
    return False, None


# The names under which code reads all arguments at once. They take precedence over arguments of the same name, except
# that playbooks written for NoETL pass an `input_data` of their own.
def given_names(task):
    args = task['args']
    names = {'args': args, 'input_data': args.get('input_data', args)}
    if 'context' in task:
        names['context'] = task['context']
    return names


def bind_libraries(libs, scope):
    for lib in libs:
        name, module = lib['name'], lib['module']
        loaded = importlib.import_module(module)
        if 'member' in lib:
            try:
                scope[name] = getattr(loaded, lib['member'])
            except AttributeError:
                scope[name] = importlib.import_module(module + '.' + lib['member'])
        else:
            scope[name] = sys.modules[name] if 'top' in lib else loaded


RETURNED_NOTHING = object()


def compile_task(text, name):
    try:
        return compile(text, name, 'exec', dont_inherit=True), False
    except IndentationError:
        import textwrap

        dedented = textwrap.dedent(text)
        if dedented == text:
            raise
        return compile_task(dedented, name)
    except SyntaxError as e:
        if "'return' outside function" not in str(e.msg):
            raise
    return compile_with_return(ast.parse(text, name), name), True


def compile_with_return(tree, name):
    first = next(i for i, node in enumerate(tree.body) if has_return(node))
    body = [Unannotated().visit(node) for node in tree.body[first:]]
    last = body[-1]
    end = ast.Return(ast.Name('__woof_nothing__', ast.Load()))
    body.append(ast.fix_missing_locations(ast.copy_location(end, last)))

    def build(names):
        head = [ast.Global(names=sorted(names))] if names else []
        function = ast.parse('def __woof_task__(): pass').body[0]
        function.body = head + body
        module = ast.Module(body=tree.body[:first] + [function], type_ignores=[])
        return compile(ast.fix_missing_locations(module), name, 'exec', dont_inherit=True)

    inner = next(
        c for c in build([]).co_consts if isinstance(c, types.CodeType) and c.co_name == '__woof_task__'
    )
    builtins.__woof_nothing__ = RETURNED_NOTHING
    return build(set(inner.co_varnames[inner.co_argcount :]) | set(inner.co_cellvars))


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def has_return(node):
    if isinstance(node, ast.Return):
        return True
    return not isinstance(node, SCOPES) and any(has_return(n) for n in ast.iter_child_nodes(node))


class Unannotated(ast.NodeTransformer):
    def visit(self, node):
        return node if isinstance(node, SCOPES) else super().visit(node)

    def visit_AnnAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return node
        new = ast.Assign([node.target], node.value) if node.value else ast.Pass()
        return ast.copy_location(new, node)


def settled(value):
    if not hasattr(value, '__await__'):
        return value
    import asyncio

    async def wait():
        return await value

    return asyncio.run(wait())


def call_main(main, args, as_a_whole):
    known = {**args, **as_a_whole}
    only, names, anything = parameters(main)
    named = {n: known[n] for n in names if n in known}
    if anything:
        named = {**args, **named}
    return main(*[known[n] for n in only if n in known], **named)


# Positional-only names, names that may be passed by keyword, and whether any keyword is accepted.
def parameters(main):
    if isinstance(main, types.FunctionType) and not hasattr(main, '__wrapped__'):
        c = main.__code__
        names = c.co_varnames[c.co_posonlyargcount : c.co_argcount + c.co_kwonlyargcount]
        return c.co_varnames[: c.co_posonlyargcount], names, bool(c.co_flags & 8)
    import inspect

    found = inspect.signature(main).parameters.values()
    only = [p.name for p in found if p.kind is p.POSITIONAL_ONLY]
    names = [p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return only, names, any(p.kind is p.VAR_KEYWORD for p in found)
