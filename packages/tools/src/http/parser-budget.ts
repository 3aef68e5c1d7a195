/**
 * The parser of undici is WebAssembly. After a few requests, V8 starts to optimise it, which takes about 100 ms in
 * another thread. A process cannot exit before that is done, so a run of one request took twice as long. With this
 * budget, V8 starts after some hundreds of requests.
 *
 * Imported after undici: a code cache only fits a process with the same flags, and Node has one for its own modules,
 * of which undici loads forty. For the same reason, the flag is not set while the cache of the bundle is made
 * (bin/start.cjs).
 */
import { setFlagsFromString } from 'node:v8';

if (process.env.WOOF_CODE_CACHE === undefined) setFlagsFromString('--wasm-tiering-budget=2147483647');
