/**
 * Imported before undici, whose parser is WebAssembly. After a few requests, V8 starts to optimise the parser, which
 * takes about 100 ms in another thread. A process cannot exit before that is done, so a run of one request took twice
 * as long. With this budget, V8 starts after some hundreds of requests. The flag is not set while the code cache is
 * made (bin/start.cjs): the cache would not fit a process with other flags.
 */
import { setFlagsFromString } from 'node:v8';

if (process.env.WOOF_CODE_CACHE === undefined) setFlagsFromString('--wasm-tiering-budget=2147483647');
