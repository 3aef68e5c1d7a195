/** The words that JavaScript and Node define themselves. */
const words = (text: string) => text.split(/\s+/);

export const KEYWORDS: ReadonlySet<string> = new Set(
  words(
    `await break case catch class const continue debugger default delete do else enum export extends false finally for
     function if import in instanceof let new null return static super switch this throw true try typeof var void while
     with yield`,
  ),
);

/** Words before a bracketed condition, where the block that follows is not a function. */
export const BLOCK_WORDS: ReadonlySet<string> = new Set(words('if for while switch catch with await'));

/** Names that no cell needs to define, and words that are only sometimes names. */
export const IGNORED_NAMES: ReadonlySet<string> = new Set(
  words(
    `arguments as async from get of set undefined NaN Infinity display woof parameters console process require module
     exports global globalThis Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error EvalError Function
     Intl JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError
     TypeError URIError URL URLSearchParams WeakMap WeakRef WeakSet AbortController Blob Event EventTarget TextDecoder
     TextEncoder atob btoa clearInterval clearTimeout crypto eval fetch isFinite isNaN parseFloat parseInt performance
     queueMicrotask setImmediate setInterval setTimeout structuredClone`,
  ),
);

/** With these, names may exist that the text does not show. */
export const OPENING_NAMES: ReadonlySet<string> = new Set(words('eval Function global globalThis with vm'));
