/**
 * The part of the driver that refuses what io_policy does not allow, by an audit hook.
 *
 * It is there for clear messages, and for `--no-sandbox`, where code that does not mean harm stays within its policy.
 * It is no boundary: that is the sandbox.
 */
export const AUDIT_DRIVER = String.raw`
# An OSError, since libraries that probe for a file or a program know how to do without.
class PolicyError(PermissionError):
    pass

# Before the fork, since resolving costs as much as the rest of a small task.
SYSTEM = tuple({os.path.realpath(p) for p in [*sys.path, sys.prefix, sys.base_prefix, '/usr/lib', '/usr/lib64', '/usr/local/lib',
    '/usr/share', '/etc/ssl', '/etc/pki', '/etc/localtime', '/etc/mime.types', '/etc/alternatives', '/etc/matplotlibrc', '/etc/fonts', '/etc/hosts', '/etc/resolv.conf',
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
        raise PolicyError('access to the file %s is not allowed: spec.io_policy.allow_files (--allow files) allows only '
            'the folder of the document' % shown)

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
