/** Workers of Studio's own code, and of nothing else. */
declare const WOOF_FOLD_WORKER: string;

interface Policy {
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const OWN = /^\/studio\/[\w-]+\.js$/;

const rules: Policy = {
  createScriptURL(url) {
    if (!OWN.test(url)) throw new TypeError(`not a file of Studio: ${url}`);
    return url;
  },
};

/** Where browsers have no Trusted Types, the check is the same. */
const policy =
  (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy('woof-studio', rules) ?? rules;

export const foldWorker = (): Worker =>
  new Worker(policy.createScriptURL(WOOF_FOLD_WORKER), { type: 'module' });
