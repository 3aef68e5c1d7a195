/** Programs that accept code as an argument, and where in the arguments it is. */
import { matches } from './glob.ts';
import { type OptionTable, readOptions } from './options.ts';

interface Interpreter extends OptionTable {
  names: string;
  /** Options whose value is code. */
  code: readonly string[];
  /** Words that make the next one code: `deno eval`. */
  words?: readonly string[];
}

const INTERPRETERS: Interpreter[] = [
  {
    names: '{python*,pypy*,ipython*,micropython}',
    code: ['-c'],
    valued: 'cWXQ',
    plain: 'bBdEhiIOPqsStuvVx3',
    attached: 'm',
    longPlain: '*',
  },
  { names: 'perl*', code: ['-e', '-E'], valued: 'eE', attached: 'iIMmFCdDxV', plain: 'aclfnpsStTuUvwWX' },
  {
    names: '{ruby*,jruby,irb}',
    code: ['-e'],
    valued: 'eCrI',
    attached: 'iFK0xTWE',
    plain: 'acdhlnpsSvwy',
    longPlain: '*',
  },
  {
    names: '{node,nodejs,bun,tsx,ts-node,electron}',
    code: ['-e', '-p', '--eval', '--print', '-pe'],
    valued: 'erC',
    plain: 'pcivh',
    longValued: ['--eval', '--require', '--import', '--loader'],
    longPlain: '*',
    words: [],
  },
  { names: 'deno', code: [], longPlain: '*', words: ['eval'] },
  {
    names: 'php*',
    code: ['-r', '-B', '-R', '-E'],
    valued: 'rBREcdfFStz',
    plain: 'aCeHilmnqsvw',
    longValued: ['--run'],
    longPlain: '*',
  },
  { names: '{lua*,luajit}', code: ['-e'], valued: 'el', plain: 'ivE' },
  { names: '{rscript,r}', code: ['-e'], valued: 'efgd', longPlain: '*' },
  {
    names: '{julia,elixir,ghc,ghci,runghc,scala,groovy,clojure,clj,racket,raku,crystal,osascript,octave,nim}',
    code: ['-e', '-E', '--eval', '--print', '--expr'],
    valued: 'eEL',
    longValued: ['--eval', '--print', '--expr'],
    longPlain: '*',
  },
  { names: 'guile', code: ['-c'], valued: 'cLe', longPlain: '*' },
  { names: 'erl', code: ['-eval'], singleDashLong: true, longValued: ['-eval'], longPlain: '*' },
  {
    names: '{emacs,emacsclient}',
    code: ['--eval', '-eval', '-e', '--execute'],
    singleDashLong: true,
    longValued: ['--eval', '-eval', '-e', '--execute', '-l'],
    longPlain: '*',
  },
  {
    names: '{vi,vim,nvim,ex,view,gvim}',
    code: ['-c', '--cmd'],
    valued: 'cSTu',
    plain: 'esbnNRvyZ',
    longValued: ['--cmd'],
    longPlain: '*',
  },
  { names: '{sqlite3,psql,mysql,duckdb}', code: [], longPlain: '*' },
  {
    names: 'make',
    code: ['-E', '--eval'],
    valued: 'CEfIoW',
    attached: 'jlO',
    plain: 'bBdehiknpqrRsStvw',
    longValued: ['--eval', '--file', '--makefile', '--directory', '--include-dir'],
    longPlain: '*',
  },
  { names: 'expect', code: ['-c'], valued: 'cf', plain: 'bdDinNv' },
];

/** Starts a shell from a program in another language. */
const AWK_SHELL = /\bsystem\s*\(|\|\s*&?\s*"|"\s*\|\s*getline|\|\s*getline|print[^;\n}]*\|/;
const SED_SHELL =
  /(^|[;{}\n]|\d|\$|\/)\s*e(\s+\S|$)|(^|[;{}\n\d$/!\s])s([^\w\s\\])(?:\\.|(?!\4).)*\4(?:\\.|(?!\4).)*\4[gpiImM0-9]*e/s;
const CLIENT_SHELL = /^\s*(\\!|\.(shell|system)\b|system\b)/m;

/** Describes, for a reason, how the arguments contain code. Undefined if they contain none. */
export function inlineCode(program: string, args: readonly string[]): string | undefined {
  if (/^([gmn]?awk|original-awk)$/.test(program)) {
    return args.some((arg) => AWK_SHELL.test(arg)) ? 'an awk program that runs a shell' : undefined;
  }
  if (/^g?sed$/.test(program)) {
    return scriptsOfSed(args).some((arg) => SED_SHELL.test(arg))
      ? 'a sed program that runs a shell'
      : undefined;
  }
  if (/^(sqlite3|psql|mysql|duckdb|mariadb)$/.test(program)) {
    return args.some((arg) => CLIENT_SHELL.test(arg)) ? 'a statement that runs a shell' : undefined;
  }
  const interpreter = INTERPRETERS.find(({ names }) => matches(names, program));
  if (interpreter === undefined) return undefined;
  const { options, end } = readOptions(args, interpreter);
  const found = options.find(({ name }) => interpreter.code.includes(name));
  if (found) return `code in ${found.name}`;
  const word = args[end];
  if (word !== undefined && interpreter.words?.includes(word)) return `code after ${word}`;
  if (/^(vi|vim|nvim|ex|view|gvim)$/.test(program) && args.some((arg) => arg.startsWith('+')))
    return 'a command in +';
  return undefined;
}

function scriptsOfSed(args: readonly string[]): string[] {
  const { options, end } = readOptions(args, {
    valued: 'efl',
    attached: 'i',
    plain: 'nErszub',
    longValued: ['--expression', '--file', '--line-length'],
    longPlain: '*',
  });
  const given = options.filter(({ name }) => name === '-e' || name === '--expression');
  const own = options.some(({ name }) => /^(-e|-f|--expression|--file)$/.test(name))
    ? []
    : args.slice(end, end + 1);
  return [...given.map(({ value }) => value ?? ''), ...own];
}
