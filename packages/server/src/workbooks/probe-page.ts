/**
 * Finds out whether a browser enforces connection allowlists: a page that may connect nowhere tries to connect, and
 * tells its parent the result. What the browser claims about itself is not enough.
 */
import { COMMON_HEADERS } from './frame-policy.ts';
import { policyHash } from './policy-hash.ts';

export const PROBE_LABEL = 'probe';
export const PROBE_TARGET = '/reach';

const SCRIPT = `const tell=(guarded)=>parent.postMessage({type:'woof:probe',guarded},'*');fetch(location.origin+'${PROBE_TARGET}',{mode:'no-cors'}).then(()=>tell(false),()=>tell(true))`;

/** Nothing but a connection allowlist may block the request. */
export const TARGET_HEADERS = { ...COMMON_HEADERS, 'cross-origin-resource-policy': 'cross-origin' };

export const PROBE_PAGE = `<!doctype html><title>probe</title><script>${SCRIPT}</script>`;

export function probeHeaders(ownOrigin: string): Record<string, string> {
  return {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src ${policyHash(SCRIPT)}; connect-src ${ownOrigin}; sandbox allow-scripts`,
    'connection-allowlist': '()',
  };
}
