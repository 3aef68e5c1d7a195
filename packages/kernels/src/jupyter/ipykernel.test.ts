import { describeUnless } from '@woof/testkit';
import { exerciseKernel } from '../exercise-kernel.ts';
import { findKernelspecs, kernelspecNamed } from './kernelspecs.ts';

const spec = kernelspecNamed(await findKernelspecs(), 'python3');
const missing = spec
  ? undefined
  : 'there is no Jupyter kernel python3: install the package python3-ipykernel';

if (missing) describeUnless(missing)('every kernel: ipykernel', () => {});
else
  await exerciseKernel('python', {
    spec: { kernel: 'python3' },
    assign: (value) => `x = ${value}`,
    print: 'print(x)',
    alternate:
      'import sys\nfor p in ("ab", "cd", "ef"):\n    print(p[0]); sys.stdout.flush()\n    print(p[1], file=sys.stderr); sys.stderr.flush()',
    ordered: true,
    last: ['a = "é"\na', "'é'"],
    fail: ['a = 1\n1 / 0', 'ZeroDivisionError', /-> 2 1 \/ 0/],
    exit: ['import sys\nsys.exit(3)', 'SystemExit'],
    endless: 'while True: pass',
    suicide: 'import os, signal, time\nos.kill(os.getpid(), signal.SIGKILL); time.sleep(1000)',
    flood: (bytes) => `import sys\nfor _ in range(${bytes} // 65536): _ = sys.stdout.write("x" * 65536)`,
    floodMiB: 40,
    printBound: 'print(given[0], woof["given"][1])',
    printParameter: 'print(parameters["greeting"])',
    setList: 'values = [{"a": 1.5, "b": None}, (1, "x"), float("nan")]',
    listRead: [{ a: 1.5, b: null }, [1, 'x'], null],
    kept: (value) => value,
  });
