/**
 * The part of the driver that runs in the forked child: binds the arguments, runs the code, says how it ended.
 *
 * It answers on its result descriptor with one line of JSON, then, for a value, the value as JSON. The task's code can
 * write there too: that forges nothing but its own result. The audit hook is for clear messages; the boundary is the
 * sandbox's.
 */
export const TASK_DRIVER = String.raw`
import ast, atexit, builtins, importlib, json, linecache, os, re, sys, traceback, types

class PolicyError(PermissionError):
    pass

class NotJson(Exception):
    pass

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
        data = data[os.write(response, data):]

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
    hook = auditor(task)
    if task['policy']['allow_files']:
        sys.path.insert(0, task['workdir'])
    sys.path[0:0] = [p for p in task['env'].get('PYTHONPATH', '').split(':') if p]
    sys.argv = [task['name']]
    builtins.PolicyError = PolicyError
    sys.addaudithook(hook)

def execute(task):
    args, name = task['args'], task['name']
    main = types.ModuleType('__main__')
    sys.modules['__main__'] = main
    scope = main.__dict__
    scope['__file__'] = name
    scope['input_data'] = args
    scope.update({k: v for k, v in args.items() if not k.startswith('__')})
    given = scope.get('result')
    text = task['code']
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
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
        return True, settled(call_main(scope['main'], args))
    return False, None

def bind_libraries(libs, scope):
    pairs = libs.items() if isinstance(libs, dict) else [(n.split('.')[0], n) for n in libs]
    for name, module in pairs:
        loaded = importlib.import_module(module)
        scope[name] = loaded if isinstance(libs, dict) else sys.modules[name]

RETURNED_NOTHING = object()

def compile_task(text, name):
    try:
        return compile(text, name, 'exec', dont_inherit=True), False
    except IndentationError as e:
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
    inner = next(c for c in build([]).co_consts if isinstance(c, types.CodeType) and c.co_name == '__woof_task__')
    builtins.__woof_nothing__ = RETURNED_NOTHING
    return build(set(inner.co_varnames[inner.co_argcount:]) | set(inner.co_cellvars))

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

def call_main(main, args):
    known = {'input_data': args, **args}
    only, names, anything = parameters(main)
    named = {n: known[n] for n in names if n in known}
    if anything:
        named = {**args, **named}
    return main(*[known[n] for n in only if n in known], **named)

# Names that go by position only, names that go by name, and whether any name goes.
def parameters(main):
    if isinstance(main, types.FunctionType) and not hasattr(main, '__wrapped__'):
        c = main.__code__
        names = c.co_varnames[c.co_posonlyargcount:c.co_argcount + c.co_kwonlyargcount]
        return c.co_varnames[:c.co_posonlyargcount], names, bool(c.co_flags & 8)
    import inspect
    found = inspect.signature(main).parameters.values()
    only = [p.name for p in found if p.kind is p.POSITIONAL_ONLY]
    names = [p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return only, names, any(p.kind is p.VAR_KEYWORD for p in found)

MANY_DIGITS = re.compile(r'(?<![\d.])\d{16,}(?![\d.eE])')

def to_json(value):
    notes = {'nan': 0, 'big': 0}
    try:
        text = json.dumps(value, allow_nan=False, separators=(',', ':'))
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(plain(value, 'result', notes, ()), separators=(',', ':'))
    if MANY_DIGITS.search(text):
        plain(value, 'result', notes, ())
    if notes['nan']:
        print('woof: %d numbers of the result were NaN or infinite and became null' % notes['nan'], file=sys.stderr)
    if notes['big']:
        print('woof: %d integers of the result are beyond 2**53 and lose digits; return them as str' % notes['big'], file=sys.stderr)
    return text

def plain(value, path, notes, above):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if value.bit_length() > 10000:
            raise NotJson(path + ' is an integer of %d bits; return it as text' % value.bit_length())
        notes['big'] += abs(value) > 2 ** 53
        return value
    if isinstance(value, float):
        if value - value == 0:
            return value
        notes['nan'] += 1
        return None
    if len(above) > 200:
        raise NotJson(path[:80] + '... is nested deeper than 200 levels')
    if id(value) in above:
        raise NotJson(path + ' contains itself')
    inner = above + (id(value),)
    if isinstance(value, dict):
        for key in value:
            if not (key is None or isinstance(key, (str, int, float))):
                raise NotJson('a key of %s is of type %s; JSON has text keys only' % (path, type(key).__name__))
        return {k: plain(v, '%s[%r]' % (path, k), notes, inner) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, '%s[%d]' % (path, i), notes, inner) for i, v in enumerate(value)]
    raise NotJson('%s is of type %s, which is not JSON; turn it into text, a number, a list or a dict' % (path, full_name(type(value))))

def full_name(kind):
    return kind.__qualname__ if kind.__module__ == 'builtins' else kind.__module__ + '.' + kind.__qualname__

def describe(e, name):
    chain = list(causes(e))
    policy = next((c for c in chain if isinstance(c, PolicyError)), None)
    e = policy or e
    text = str(e)
    if isinstance(e, SystemExit):
        text = 'the code called sys.exit(%s); let it end, or return a value' % ('' if e.code is None else repr(e.code))
    return {
        'kind': 'error',
        'type': type(e).__name__,
        'message': text[:10000],
        'traceback': formatted(chain[0])[-60000:],
        'line': next((n for n in (line_of(c, name) for c in [e, *chain]) if n is not None), None),
        'policy': policy is not None,
        'transient': any(isinstance(c, (ConnectionError, TimeoutError, BlockingIOError)) for c in chain),
    }

def causes(e):
    seen = []
    while isinstance(e, BaseException) and e not in seen:
        seen.append(e)
        e = e.__cause__ or getattr(e, 'reason', None) or e.__context__
    return seen

def line_of(e, name):
    if isinstance(e, SyntaxError) and e.filename == name:
        return e.lineno
    lines = [line for frame, line in traceback.walk_tb(e.__traceback__) if frame.f_code.co_filename == name]
    return lines[-1] if lines else None

def formatted(e):
    shown = traceback.TracebackException.from_exception(e)
    at, seen = [shown], set()
    while at:
        one = at.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack = traceback.StackSummary.from_list([f for f in one.stack if f.filename != '<woof>'])
        at += [one.__cause__, one.__context__]
    return ''.join(shown.format())

# Before the fork, since resolving costs as much as the rest of a small task.
SYSTEM = tuple({os.path.realpath(p) for p in [*sys.path, sys.prefix, sys.base_prefix, '/usr/lib', '/usr/lib64', '/usr/local/lib',
    '/usr/share', '/etc/ssl', '/etc/pki', '/etc/localtime', '/etc/mime.types', '/etc/hosts', '/etc/resolv.conf',
    '/proc/cpuinfo', '/proc/meminfo', '/proc/stat', '/proc/mounts', '/proc/sys', '/proc/filesystems'] if p})

def auditor(task):
    policy, workdir = task['policy'], task['workdir']
    real = os.path.realpath
    temporary = tuple({real(p) for p in (task['tmp'], '/dev/shm')})
    system = SYSTEM
    devices = ('/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/stdin', '/dev/stdout', '/dev/stderr')
    hidden = [os.path.join(workdir, '.woof'), *task['hidden']]
    if policy['allow_shell']:
        system += ('/usr', '/bin', '/etc/alternatives')

    def within(path, folders):
        return any(path == f or path.startswith(f + '/') for f in folders)

    def refuse(what, key):
        raise PolicyError('%s is not allowed: set spec.io_policy.allow_%s: true, or run with --allow %s' % (what, key, key))

    def file(path, writing=False):
        if path is None or isinstance(path, int):
            return
        shown = os.fsdecode(path)
        try:
            full = real(shown)
        except ValueError:
            return
        if not writing and within(full, system):
            return
        inside = within(full, (workdir,)) and workdir not in temporary
        if inside and policy['allow_files'] and not within(full, hidden):
            return
        if inside and not policy['allow_files']:
            refuse('access to the file %s' % shown, 'files')
        if not inside and (within(full, temporary) or full in devices or within(full, ('/proc/self', '/proc/%d' % os.getpid()))):
            return
        raise PolicyError('access to the file %s is not allowed: spec.io_policy.allow_files (--allow files) opens the '
            'folder of the document, and nothing else' % shown)

    def opened(args):
        path, mode, flags = args
        writing = any(c in mode for c in 'wax+') if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        file(path, writing)

    def changed(args):
        file(args[0], True)

    def two(args):
        file(args[0], True)
        file(args[1], True)

    def network(args):
        if not policy['allow_network']:
            refuse('network access', 'network')

    def connected(args):
        if isinstance(args[1], (str, bytes)) and os.fsencode(args[1])[:1] not in (b'\0', b''):
            return file(args[1], True)
        network(args)

    def shell(args):
        if not policy['allow_shell']:
            refuse('starting another program', 'shell')

    def database(args):
        if args[0] not in (':memory:', b':memory:', ''):
            file(args[0], True)

    rules = {'open': opened, 'sqlite3.connect': database, 'socket.connect': connected, 'socket.bind': connected}
    for event in ('listdir', 'scandir', 'chdir'):
        rules['os.' + event] = lambda args: file('.' if args[0] is None else args[0])
    for event in ('remove', 'mkdir', 'rmdir', 'chmod', 'chown', 'truncate', 'utime', 'setxattr', 'removexattr'):
        rules['os.' + event] = changed
    for event in ('rename', 'link', 'symlink'):
        rules['os.' + event] = two
    for event in ('getaddrinfo', 'gethostbyname', 'gethostbyaddr', 'getnameinfo', 'sendto', 'sendmsg'):
        rules['socket.' + event] = network
    for event in ('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'pty.spawn'):
        rules[event] = shell

    def hook(event, args):
        rule = rules.get(event)
        if rule is not None:
            rule(args)
    return hook
`;
