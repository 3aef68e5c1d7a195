# Writes the standard library for pages. COMPILED and ABSENT are given. Its last value is a JSON list of all modules.

import importlib.util
import json
import marshal
import sys
import zipfile

for name in COMPILED:
    importlib.import_module(name)
ROOT = '/lib/python%d%d.zip/' % sys.version_info[:2]
compiled = {m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)}
source, target = zipfile.ZipFile('/source.zip'), zipfile.ZipFile('/target.zip', 'w', zipfile.ZIP_STORED)
names = set(sys.builtin_module_names)
for entry in sorted(source.infolist(), key=lambda each: each.filename):
    name, data = entry.filename, None
    if entry.is_dir() or name.startswith(tuple(ABSENT)):
        continue
    names.add(name.partition('/')[0].removesuffix('.py'))
    data = source.read(entry)
    if name.endswith('.py') and ROOT + name in compiled:
        code = compile(data, ROOT + name, 'exec', dont_inherit=True, optimize=2)
        data, name = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code), name + 'c'
    target.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
target.close()
json.dumps(sorted(names))
