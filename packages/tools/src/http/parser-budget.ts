/**
 * Imported before undici, whose parser is WebAssembly. V8 begins to optimise the parser after a few requests, which takes it
 * about 100 ms in another thread, and a process cannot end before that is done: a run of one request took twice as long.
 * With this budget it begins after some hundreds of requests. Code that is kept for later starts (bin/start.cjs) would not
 * fit a process with other flags.
 */
import { setFlagsFromString } from 'node:v8';

if (process.env.WOOF_CODE_CACHE === undefined) setFlagsFromString('--wasm-tiering-budget=2147483647');
