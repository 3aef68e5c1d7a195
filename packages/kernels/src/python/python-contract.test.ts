import { exerciseKernel } from '../exercise-kernel.ts';

await exerciseKernel('python', {
  assign: (value) => `x = ${value}`,
  print: 'print(x)',
  alternate: 'import sys\nfor a, b in ("ab", "cd", "ef"):\n    print(a)\n    print(b, file=sys.stderr)',
  ordered: true,
  last: ['a = "é"\na', "'é'"],
  fail: ['\n1 / 0', 'ZeroDivisionError', /File "<prep>", line 2/],
  exit: ['import sys; sys.exit(3)', 'SystemExit'],
  closes: 'import os, sys\nos.closerange(0, 100)\nsys.stdout.close()',
  endless: 'while True: pass',
  suicide: 'import os; os.kill(os.getpid(), 9)',
  flood: (bytes) => `import os\nfor _ in range(${bytes} // 65536): os.write(1, b"x" * 65536)`,
  invalidUtf8: 'import os; _ = os.write(1, b"a\\xff\\xc3\\xa9\\n")',
  printBound: 'print(given[0], woof["given"][1]); assert woof["not-an-identifier"]["deep"] == [{}]',
  printParameter: 'print(parameters["greeting"])',
  forge: (line) => `import os
for fd in range(3, 1000):
    try: os.write(fd, ${JSON.stringify(`${line}\n`)}.encode())
    except OSError: pass`,
  setList: 'values = [{"a": 1.5, "b": None}, (1, "x"), float("nan")]',
  listRead: [{ a: 1.5, b: null }, [1, 'x'], null],
  kept: (value) => value,
});
