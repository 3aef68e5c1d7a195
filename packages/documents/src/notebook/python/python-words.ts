/** The words that Python itself defines. */
const words = (text: string) => text.split(' ');

export const KEYWORDS: ReadonlySet<string> = new Set(
  words(
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
      'global if import in is lambda nonlocal not or pass raise return try while with yield',
  ),
);

const BUILTINS = words(
  'abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex ' +
    'copyright credits delattr dict dir display divmod enumerate eval exec exit filter float format frozenset ' +
    'getattr get_ipython globals hasattr hash help hex id input int isinstance issubclass iter len license list ' +
    'locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set ' +
    'setattr slice sorted staticmethod str sum super tuple type vars zip Ellipsis NotImplemented ArithmeticError ' +
    'AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError ' +
    'BytesWarning ChildProcessError ConnectionError DeprecationWarning EOFError EnvironmentError Exception ' +
    'ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ' +
    'ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError ' +
    'KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError ' +
    'NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError ' +
    'RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration ' +
    'SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError ' +
    'UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeWarning UserWarning ValueError Warning ' +
    'ZeroDivisionError',
);

/** Names that no cell needs to define: builtins, what the runner binds, and throwaways. */
export const IGNORED_NAMES: ReadonlySet<string> = new Set([
  ...BUILTINS,
  ...['woof', 'parameters', 'self', 'cls', '_', '__', '___', 'In', 'Out', 'match', 'case', 'type'],
  ...['__name__', '__file__', '__doc__', '__builtins__', '__annotations__', '__import__'],
]);

/** After a call of these, names may exist that the text does not show. */
export const OPENING_NAMES: ReadonlySet<string> = new Set([
  ...['exec', 'eval', 'globals', 'locals', 'vars', 'setattr', 'get_ipython', '__import__'],
]);
