/**
 * Cells that leave something behind and cells that show it, in each language: names, lists, functions, and state that
 * has no name (seeds, environment, folder, settings). Some fail half-way.
 */
export type Pool = readonly ((n: number) => string)[];

export const PYTHON: Pool = [
  (n) => `a = ${n}`,
  () => 'print(globals().get("a"))',
  (n) => `items = globals().get("items", []); items.append(${n})`,
  () => 'print(globals().get("items"))',
  (n) => `import random; random.seed(${n})`,
  () => 'import random; print(random.random())',
  (n) => `import os; os.environ["WOOF_TEST_KEY"] = "${n}"`,
  () => 'import os; print(os.environ.get("WOOF_TEST_KEY"))',
  (n) => `def f(x): return x + ${n}`,
  () => 'print(f(1) if "f" in globals() else None)',
  (n) => `import math; math.woof_test = ${n}`,
  () => 'import math; print(getattr(math, "woof_test", None))',
  (n) => `import sys; sys.path.append("/nowhere/${n}")`,
  () => 'import sys; print([p for p in sys.path if p.startswith("/nowhere")])',
  () => 'g = (i for i in range(100))',
  () => 'print(next(g) if "g" in globals() else None)',
  (n) => `class C:\n    k = ${n}`,
  () => 'print(C.k if "C" in globals() else None)',
  (n) => `c = C() if "C" in globals() else ${n}`,
  (n) => `import decimal; decimal.getcontext().prec = ${5 + n}`,
  () => 'import decimal; print(decimal.Decimal(1) / 3)',
  () => 'if "a" in globals(): del a',
  (n) => `with open("/tmp/file", "a") as file: _ = file.write("${n}")`,
  () => 'import os; print(os.path.exists("/tmp/file") and open("/tmp/file").read())',
];

/** What says nothing of other cells than their names, and what fails: only a graph goes on after it. */
export const PYTHON_GRAPH: Pool = [
  ...PYTHON,
  () => 'try: print(a)\nexcept NameError: print(None)',
  () => 'def h(): return a',
  () => 'try: print(h())\nexcept NameError: print(None)',
  () => 'try: items.append(9)\nexcept NameError: items = [0]',
  () => 'try: print(items)\nexcept NameError: print(None)',
  (n) => `a = ${n}\nraise ValueError(a)`,
  (n) => `raise ValueError(${n})`,
  (n) =>
    `import os; os.mkdir("/tmp/d${n}") if not os.path.exists("/tmp/d${n}") else None; os.chdir("/tmp/d${n}")`,
  () => 'from pathlib import Path; print(Path.cwd().name[:2])',
];

/** With libraries for data: each cell loads what it uses, so any of them may be the first. Draws are seeded. */
export const PYTHON_DATA: Pool = [
  (n) => `import numpy as np; v = np.arange(${n} + 2)`,
  () => 'try: print(v.sum())\nexcept NameError: print(None)',
  (n) => `import numpy as np; np.random.seed(${n}); seeded = True`,
  () => 'import numpy; print(numpy.random.rand() if "seeded" in globals() else None)',
  (n) => `import numpy as np; np.set_printoptions(precision=${n + 1})`,
  () => 'import numpy as np; print(np.array([1 / 3]))',
  (n) => `import pandas as pd; df = pd.DataFrame({"a": [${n}, 2]})`,
  () => 'try: print(df.describe())\nexcept NameError: print(None)',
  (n) => `try: df["b"] = df["a"] * ${n}\nexcept NameError: print(None)`,
  (n) => `import pandas as pd; pd.options.display.precision = ${n + 1}`,
  () => 'import pandas as pd; print(pd.Series([1 / 3]))',
  (n) => `import matplotlib; matplotlib.rcParams["lines.linewidth"] = ${n + 1}`,
  () => 'import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()',
  (n) => `import random; random.seed(${n}); drawn = random.random()`,
  () => 'try: print(drawn)\nexcept NameError: print(None)',
  (n) => `import statistics; m = statistics.mean([${n}, 2])`,
  () => 'try: print(m)\nexcept NameError: print(None)',
  (n) => `import scipy.stats as st; q = float(st.norm.ppf(0.${n + 1}))`,
  () => 'try: print(q)\nexcept NameError: print(None)',
  () => 'import numpy; print(numpy.float64(1) / numpy.float64(0))',
  (n) => `import numpy as np; _ = np.seterr(divide="${n % 2 ? 'ignore' : 'warn'}")`,
  // One import in several cells, names that only an import spells, and names that hold something else in between.
  (n) => `import matplotlib.pyplot as plt\nplt.bar([1, 2], [${n}, 1])\nplt.show()`,
  () =>
    'try: plt.plot([3, 1]); plt.show(); print("plotted")\nexcept (NameError, AttributeError): print(None)',
  (n) => `import numpy\nprint(numpy.sqrt(${n}))`,
  () => 'try: print(numpy.pi)\nexcept (NameError, AttributeError): print(None)',
  (n) => `np = ${n}`,
  () => 'try: print(np.pi)\nexcept (NameError, AttributeError): print(None)',
  () => 'def area(): return np.pi',
  () => 'from math import pi\nimport numpy as np\nprint(area() if "area" in dir() else pi)',
  () => 'try: print(area())\nexcept (NameError, AttributeError): print(None)',
  (n) => `from math import pi\npi = ${n}`,
  () => 'try: print(pi)\nexcept NameError: print(None)',
  () => 'from scipy import stats',
  () => 'import scipy\ntry: print(scipy.stats.norm.ppf(0.5))\nexcept AttributeError: print(None)',
  () => 'import scipy',
  () => 'try: print(scipy.stats.norm.ppf(0.5))\nexcept (NameError, AttributeError): print(None)',
];

export const JAVASCRIPT: Pool = [
  (n) => `var a = ${n}`,
  () => 'typeof a === "undefined" ? null : a',
  (n) => `(globalThis.items ??= []).push(${n})`,
  () => 'console.log(globalThis.items)',
  (n) => `process.env.WOOF_TEST_KEY = "${n}"`,
  () => 'console.log(process.env.WOOF_TEST_KEY)',
  (n) => `function f(x) { return x + ${n} }`,
  () => 'typeof f === "function" ? f(1) : null',
  (n) => `Math.woof = ${n}`,
  () => 'console.log(Math.woof)',
  (n) => `const later = Promise.resolve(${n})`,
  () => 'console.log(typeof later === "undefined" ? null : await later)',
  (n) => `globalThis.a = ${n}; throw new RangeError("${n}")`,
  (n) => `{\n  "a": ${n} }`,
];

export const BASH: Pool = [
  (n) => `a=${n}`,
  () => 'echo "a is $a"',
  (n) => `items+=(${n})`,
  () => `echo "$\{items[@]}"`,
  (n) => `RANDOM=${n}`,
  (n) => `f() { echo $(( $1 + ${n} )); }`,
  () => 'declare -F f && f 1',
  () => 'cd /',
  () => '[[ $PWD == / ]] && echo root || echo elsewhere',
  (n) => `export WOOF_TEST_KEY=${n}`,
  () => 'echo "$WOOF_TEST_KEY"',
  () => 'shopt -s nullglob',
  () => 'echo /nowhere*',
  (n) => `set -- ${n}`,
  () => 'echo "$# $1"',
  (n) => `a=${n}; false`,
];

export const R: Pool = [
  (n) => `a <- ${n}`,
  () => 'if (exists("a")) a else NA',
  (n) => `items <- c(get0("items"), ${n})`,
  () => 'print(get0("items"))',
  (n) => `set.seed(${n})`,
  () => 'runif(1)',
  (n) => `f <- function(x) x + ${n}`,
  () => 'if (exists("f")) f(1) else NA',
  (n) => `options(digits = ${n + 3})`,
  () => 'pi',
  (n) => `Sys.setenv(WOOF_TEST_KEY = "${n}")`,
  () => 'Sys.getenv("WOOF_TEST_KEY")',
  () => 'setwd("/")',
  () => 'getwd() == "/"',
  (n) => `a <- ${n}; stop("no")`,
];
