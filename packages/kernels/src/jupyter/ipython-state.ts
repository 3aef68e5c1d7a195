/**
 * The state of an IPython session as text, for a session with other permissions: the names of its cells, as far as they can
 * be pickled, and the folder. What cannot be is left out and told. Also the audit hook that names the policy.
 */
import { PYTHON_PICKLE } from '../python/python-pickle.ts';

export const IPYTHON_STATE = `
import base64, io, os, sys, zlib
${PYTHON_PICKLE}
OURS = {'In', 'Out', 'exit', 'quit', 'get_ipython', 'open', 'woof', 'parameters'}

def movable():
    return {n: v for n, v in SCOPE.items() if n not in OURS and not n.startswith('_')}

def save_state():
    kept, left = {}, []
    for name, value in movable().items():
        try:
            pickled({name: value}, Walk())
            kept[name] = value
        except Unfit:
            left.append(name)
    try:
        data = pickled((kept, dict(SCOPE['woof']), sorted(left), os.getcwd()), Walk())
    except Unfit as e:
        raise RuntimeError('the variables of the earlier cells cannot move to a process with other permissions: %s' % e) from None
    return ',"value":"' + base64.b64encode(zlib.compress(data, 1)).decode() + '"'

class Missing:
    def __init__(self, name):
        self.__dict__['name'] = name
    def _refuse(self, *args, **options):
        raise NameError('%s stayed in a process with other permissions: it cannot be pickled. Make it in this cell, or give both cells the same sidefx' % self.__dict__['name'])
    __getattr__ = __call__ = __iter__ = __getitem__ = _refuse

def load_state(text):
    kept, woof, left, folder = CellUnpickler(io.BytesIO(zlib.decompress(base64.b64decode(text)))).load()
    try:
        os.chdir(folder)
    except OSError:
        pass  # This process may not see it.
    SCOPE['woof'].update(woof)
    SCOPE.update({n: Missing(n) for n in left})
    SCOPE.update(kept)

class PolicyError(PermissionError):
    pass

PROGRAMS = {'subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'pty.spawn'}

def deny(policy, denials):
    def audit(event, args):
        if event in PROGRAMS and not policy['allow_shell']:
            raise PolicyError('starting another program ' + denials['shell'])
        reaches = event == 'socket.getaddrinfo' or event == 'socket.connect' and isinstance(args[1], tuple)
        if reaches and not policy['allow_network']:
            raise PolicyError('network access ' + denials['network'])
    sys.addaudithook(audit)
`;
