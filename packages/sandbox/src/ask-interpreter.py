# Says where the interpreter is, the minor version of Python 3 (else 0), and which folders it needs, one per line.
import sys

minor = sys.version_info[1] if sys.version_info[0] == 3 else 0
print('\n'.join([sys.executable, str(minor)] + sorted({sys.prefix, sys.base_prefix, *sys.path})))
