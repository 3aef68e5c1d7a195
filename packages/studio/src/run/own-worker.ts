/** Workers of Studio's own code, and of nothing else. */
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

/** In browsers without Trusted Types, the check is the same. */
const policy =
  (globalThis as { trustedTypes?: Factory }).trustedTypes?.createPolicy('woof-studio', rules) ?? rules;

/** The page names the file, because only its build knows how it is called. */
export function foldWorker(): Worker {
  const { foldWorker: url = '' } = document.querySelector<HTMLElement>('script[data-fold-worker]')!.dataset;
  return new Worker(policy.createScriptURL(url), { type: 'module' });
}
