/** What cells of one language give to those of another, through the real binary. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInterpreter, findProgram } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findKernelspecs, kernelspecNamed } from '../../packages/kernels/src/jupyter/kernelspecs.ts';
import { type Account, Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const GRAPH = 'execution: {order: graph}';
const SHELL = `${GRAPH}\nio_policy: {allow_shell: true}`;

/** What a notebook of these cells prints, cell by cell. */
async function printed(header: string, ...cells: string[]): Promise<Record<string, string>> {
  const text = `%WOOFNB 1.0\nname: test\nlanguage: python\n${header}\n${cells.join('')}`;
  const { stdout } = await folder.woof('run', folder.write('n.woofnb', text), '--json');
  const { steps } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Account;
  const lines = readFileSync(join(folder.path, 'n.woofnb.out'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { cell: string; outputs: { text?: string }[] });
  const said = lines.map(({ cell: id, outputs }) => [id, outputs.map(({ text }) => text ?? '').join('')]);
  const failures = Object.entries(steps).flatMap(([id, { status, error }]) =>
    status === 'succeeded' ? [] : [[id, `${status}: ${(error as { message?: string })?.message}`]],
  );
  return Object.fromEntries([...said, ...failures]);
}

const PYTHON =
  'rows = [{"a": 1, "b": "é"}, {"a": 2.5, "b": None}]\ntotal = 3.5\nhidden = 1\nmodule = __import__("os")';

it('parameters reach every language, even if they have no room in the log', async () => {
  const parameters = Array.from({ length: 20 }, (_, n) => `  p${n}: "${'x'.repeat(60_000)}${n}"`).join('\n');
  const shown = await printed(
    `${GRAPH}\nparameters:\n${parameters}`,
    cell('id=py type=code', 'print(len(parameters["p3"]))'),
    cell('id=js type=code lang=javascript', 'console.log(parameters.p19.length)'),
  );
  expect(shown).toEqual({ py: '60001\n', js: '60002\n' });
  const { stdout } = await folder.woof('events', 'last', '--json');
  const longest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(longest).toBeLessThan(80_000);
});

describe('a name that does not exist', () => {
  const cells = [
    cell('id=prep type=code', 'total = 3'),
    cell('id=my-data type=data', '[1]'),
    cell('id=js type=code lang=javascript', 'total + 1'),
    cell('id=py type=code', 'len(my-data)'),
    cell('id=py_name type=code', 'len(my_data)'),
    cell('id=typo type=code', 'totla'),
    cell('id=key type=code', 'woof["my-data"]'),
    cell('id=own type=code', "d = {}\nd['my-data']  # I like woof"),
    cell('id=days type=data', '[1]'),
    cell('id=outside type=code', 'len(days)'),
    cell('id=near type=code deps=my-data', 'my-data'),
    cell('id=package type=code', 'import no_such_module'),
  ];

  it('says where it is and how to get it, when the cell fails and in lint', async () => {
    const shown = await printed(GRAPH, ...cells);
    expect(shown).toMatchObject({
      js: 'failed: ReferenceError: total is not defined; it is a variable of cell "prep", whose language is python: add prep to deps and write prep.total',
      py: `failed: NameError: name 'my' is not defined; "my-data" is the id of a data cell: add my-data to deps and write woof["my-data"]`,
      near: `failed: NameError: name 'my' is not defined; "my-data" is the id of a data cell: write woof["my-data"]`,
      key: `failed: KeyError: 'my-data'; "my-data" is the id of a data cell that this cell does not depend on: add my-data to deps`,
      outside: `failed: NameError: name 'days' is not defined; "days" is the id of a data cell that this cell does not depend on: add days to deps`,
      py_name: `failed: NameError: name 'my_data' is not defined; "my-data" is the id of a data cell: add my-data to deps and write woof["my-data"]`,
      own: "failed: KeyError: 'my-data'",
      typo: "failed: NameError: name 'totla' is not defined",
      package: `failed: ModuleNotFoundError: No module named 'no_such_module'; to install a package, list it in env.requirements of the header and run with --install`,
    });
    const { stdout } = await folder.woof('lint', join(folder.path, 'n.woofnb'), '--json');
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; line: number }[] };
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'notebook/name-of-other-language',
      'notebook/data-id-not-a-name',
      'notebook/data-id-not-a-name',
      'notebook/name-outside-deps',
      'notebook/name-outside-deps',
      'notebook/data-id-not-a-name',
    ]);
  });

  it('of data that is CSV gets no hint: the notebook is refused', async () => {
    const text = `%WOOFNB 1.0\nname: n\nlanguage: python\n${cell('id=d type=data', 'name,n\nAda,1')}`;
    const { code, stderr } = await folder.woof('run', folder.write('csv.woofnb', text));
    expect(code).toBe(2);
    expect(stderr).toMatch(/looks like CSV, but data must be JSON or YAML/);
  });
});

describe('values of another language', () => {
  it('go from Python to JavaScript and back, under the id of the cell', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', PYTHON),
      cell(
        'id=js type=code lang=javascript deps=prep',
        'const twice = prep.rows.map(({ a }) => a * 2);\nconsole.log(twice, prep, woof.prep.total);\n// module',
      ),
      cell('id=again type=code deps=js', 'print(js["twice"], sorted(js), woof["js"] is js, total)'),
    );
    expect(shown.js).toBe("[ 2, 5 ] { rows: [ { a: 1, b: 'é' }, { a: 2.5, b: null } ], total: 3.5 } 3.5\n");
    expect(shown.again).toBe("[2, 5] ['twice'] True 3.5\n");
  });

  it('are not asked for by a word that only contains the id', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=a type=code', 'rows = 1'),
      cell('id=js type=code lang=javascript deps=a', 'console.log("data rows", Object.keys(woof))'),
      cell('id=named type=code lang=javascript deps=a', 'console.log(a.rows)'),
    );
    expect(shown).toMatchObject({ js: "data rows [ 'parameters' ]\n", named: '1\n' });
  });

  it('go to bash and from it: lists and maps as text', async () => {
    const shown = await printed(
      SHELL,
      cell('id=prep type=code', PYTHON),
      cell('id=sh type=bash deps=prep', `echo "\${prep[total]} \${prep[rows]}"\nwords=(x y)\nhome=$HOME`),
      cell('id=py type=code deps=sh', 'print(sh["words"], sorted(sh))\n# HOME home'),
    );
    expect(shown.sh).toBe('3.5 [{"a":1,"b":"é"},{"a":2.5,"b":null}]\n');
    expect(shown.py).toBe("['x', 'y'] ['home', 'words']\n");
  });

  it('are those that the giving cell left, whatever later cells change', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', 'x = 1'),
      cell('id=later type=code deps=prep', 'x = 2'),
      cell('id=js type=code lang=javascript deps=prep,later', 'console.log(prep.x, later.x)'),
    );
    expect(shown.js).toBe('1 2\n');
  });

  it('come from the cache with the cell that gave them', async () => {
    const header = 'execution: {order: graph, cache: content-hash}';
    const prep = cell('id=prep type=code lang=javascript', 'const x = 1, y = 2');
    const asking = (body: string) => cell('id=py type=code deps=prep', body);
    expect((await printed(header, prep, asking('print(prep["x"])'))).py).toBe('1\n');
    expect((await printed(header, prep, asking('print(prep["x"] + 1)'))).py).toBe('2\n');
    expect((await printed(header, prep, asking('print(prep["x"] + prep["y"])'))).py).toBe('3\n');
  });

  it('leave a variable of that name alone', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=x type=code lang=javascript', 'const value = 1'),
      cell('id=own type=code', 'x = "own"'),
      cell('id=py type=code deps=x,own', 'print(x, woof["x"]["value"])'),
      cell('id=other type=code deps=py', 'print(x)'),
    );
    expect(shown).toMatchObject({ py: 'own 1\n', other: 'own\n' });
  });

  it('are passed in linear order if deps names the cell', async () => {
    const shown = await printed(
      '',
      cell('id=prep type=code', 'x = 1'),
      cell('id=js type=code lang=javascript deps=prep', 'console.log(prep.x)'),
      cell('id=not type=code lang=r disabled=true', 'prep$x'),
      cell('id=alone type=code lang=javascript kernel=javascript', 'console.log(typeof prep)'),
    );
    expect(shown).toMatchObject({ js: '1\n', alone: 'undefined\n' });
  });

  it('of a cell that is isolated are taken before its kernel ends', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code sidefx=isolated', 'x = 7'),
      cell('id=js type=code lang=javascript deps=prep', 'console.log(prep.x)'),
    );
    expect(shown.js).toBe('7\n');
  });

  it('are limited in size', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', 'x = "x" * (17 << 20)'),
      cell('id=js type=code lang=javascript deps=prep', 'prep.x'),
    );
    expect(shown.js).toBe(
      'failed: with "x", cell "prep" would pass more than 16 MiB to another language: pass a part or a summary, or ' +
        'write a file in one cell and read it in the other (sidefx=fs)',
    );
  });
});

describeUnless(findProgram('Rscript') ? undefined : 'there is no Rscript on the PATH')('values and R', () => {
  it('a name of Python that R does not find gets a hint', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', 'total = 3'),
      cell('id=r type=code lang=r', 'total + 1'),
    );
    expect(shown.r).toMatch(/object 'total' not found; it is a variable of cell "prep".*write prep\$total$/);
  });

  it('go from Python to R and back', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', PYTHON),
      cell(
        'id=r1 type=code lang=r deps=prep',
        'cat(prep$total, prep$rows[[1]]$b, "\\n")\nsquares <- (1:3)^2\nmy.name <- list(a = "x", b = NA)',
      ),
      cell('id=py type=code deps=r1', 'print(r1["squares"], r1["my.name"])'),
    );
    expect(shown).toMatchObject({ r1: '3.5 é \n', py: "[1.0, 4.0, 9.0] {'a': 'x', 'b': None}\n" });
  });

  it('keep integers of any size, from Python through R to JavaScript and back', async () => {
    const shown = await printed(
      GRAPH,
      cell('id=prep type=code', 'n = 2 ** 64\nall = [1, 2 ** 53 + 1, -n]\nids = [3000000000, 1]'),
      cell(
        'id=r1 type=code lang=r deps=prep',
        'n <- prep$n\nall <- rev(prep$all)\nids <- prep$ids\nprint(n)',
      ),
      cell(
        'id=js type=code lang=javascript deps=r1',
        'var n = r1.n + 1n; var all = r1.all; console.log(all)',
      ),
      cell('id=r2 type=code lang=r deps=js', 'd <- data.frame(n = c(js$n, js$all))'),
      cell(
        'id=py type=code deps=r1,js,r2',
        'print(r1["n"] - 2 ** 64, js["n"] - 2 ** 64, js["all"][1] - 2 ** 53, r1["ids"], r2["d"])',
      ),
    );
    expect(shown).toMatchObject({
      r1: '[1] 18446744073709551616\n',
      js: '[ -18446744073709551616n, 9007199254740993n, 1 ]\n',
    });
    expect(shown.py).toMatch(/^0 1 1 \[3000000000, 1\]/);
    for (const digits of ['18446744073709551617', '-18446744073709551616', '9007199254740993'])
      expect(shown.py).toContain(digits);
  });

  it('keep tables: as records in JavaScript, as CSV in bash', async () => {
    const shown = await printed(
      SHELL,
      cell('id=r1 type=code lang=r', 'd <- data.frame(n = c(1L, NA), t = c("a,b", "c"), u = c(TRUE, FALSE))'),
      cell('id=js type=code lang=javascript deps=r1', 'console.log(r1.d)'),
      cell('id=sh type=bash deps=r1', `echo "\${r1[d]}"`),
    );
    expect(shown.js).toBe("[ { n: 1, t: 'a,b', u: true }, { n: null, t: 'c', u: false } ]\n");
    expect(shown.sh).toBe('n,t,u\n1,"a,b",true\n,c,false\n\n');
  });
});

const pandas = await findInterpreter()
  .then(({ executable }) => execFileSync(executable, ['-c', 'import pandas'], { stdio: 'ignore' }))
  .then(() => findProgram('Rscript') !== undefined)
  .catch(() => false);
describeUnless(pandas ? undefined : 'there is no pandas, or no R')('tables between pandas and R', () => {
  it('are data frames on both sides', async () => {
    const shown = await printed(
      GRAPH,
      cell(
        'id=prep type=code',
        'import pandas as pd\nd = pd.DataFrame({"n": [1.5, None], "t": ["é", None], "ok": [True, False]})',
      ),
      cell(
        'id=r1 type=code lang=r deps=prep',
        'd <- prep$d\ncat(class(d), sapply(d, class), sum(is.na(d)), "\\n")\nm <- data.frame(k = 1:2, s = c("x", NA))',
      ),
      cell('id=py type=code deps=r1', 'm = r1["m"]\nprint(type(m).__name__, m.k.sum(), m.s.isna().sum())'),
    );
    expect(shown).toMatchObject({ r1: 'data.frame numeric character logical 2 \n', py: 'DataFrame 3 1\n' });
  });
});

const hasKernels = await findKernelspecs().then(
  (all) => kernelspecNamed(all, 'ir') && kernelspecNamed(all, 'python3'),
);
describeUnless(hasKernels ? undefined : 'there are no Jupyter kernels python3 and ir')(
  'values and Jupyter kernels',
  () => {
    it('go in and out of them', async () => {
      const shown = await printed(
        GRAPH,
        cell('id=a type=code kernel=python3', 'x = [1, None]'),
        cell(
          'id=b type=code lang=r kernel=ir deps=a',
          'd <- data.frame(n = c(a$x[[1]], 5), t = c("é", NA))\ncat(nrow(d))',
        ),
        cell('id=c type=code lang=javascript deps=b', 'console.log(b.d)'),
      );
      expect(shown).toMatchObject({ b: '2', c: "[ { n: 1, t: 'é' }, { n: 5, t: null } ]\n" });
    });
  },
);
