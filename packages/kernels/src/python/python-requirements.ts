/** Which of a notebook's `env.requirements` the interpreter does not meet; asked before anything runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInterpreter } from '@woof/sandbox';

/** Prints a JSON list of [requirement, what is there instead]. Versions are compared number by number. */
const ASK = String.raw`
import json, re, sys
from importlib.metadata import version, PackageNotFoundError

def parts(text):
    return [int(word) for word in re.findall(r'\d+', text.split('+')[0])]

def padded(a, b):
    size = max(len(a), len(b))
    return a + [0] * (size - len(a)), b + [0] * (size - len(b))

def holds(have, operator, want):
    if want.endswith('.*'):
        prefix = parts(want[:-2])
        same = parts(have)[:len(prefix)] == prefix
        return same if operator == '==' else not same
    a, b = padded(parts(have), parts(want))
    if operator == '~=':
        prefix = parts(want)[:-1]
        return a >= b and parts(have)[:len(prefix)] == prefix
    return {'==': a == b, '===': have == want, '!=': a != b, '>=': a >= b, '<=': a <= b, '>': a > b, '<': a < b}[operator]

missing = []
for requirement in json.loads(sys.argv[1]):
    text = requirement.split(';')[0].split('#')[0].strip()
    match = re.match(r'^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*(.*)$', text)
    if not match:
        missing.append([requirement, 'it is not a valid requirement'])
        continue
    try:
        have = version(match.group(1))
    except PackageNotFoundError:
        missing.append([requirement, 'it is not installed'])
        continue
    for operator, want in re.findall(r'(===|==|!=|>=|<=|~=|>|<)\s*([^,\s]+)', match.group(2)):
        if not holds(have, operator, want):
            missing.append([requirement, have + ' is installed'])
            break
print(json.dumps(missing))
`;

export interface Unmet {
  requirement: string;
  /** What is there instead. */
  found: string;
}

export async function unmetRequirements(requirements: readonly string[]): Promise<Unmet[]> {
  if (requirements.length === 0) return [];
  const { executable } = await findInterpreter();
  const { stdout } = await promisify(execFile)(executable, ['-c', ASK, JSON.stringify(requirements)]);
  return (JSON.parse(stdout) as [string, string][]).map(([requirement, found]) => ({ requirement, found }));
}
