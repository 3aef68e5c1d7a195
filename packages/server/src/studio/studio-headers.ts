/**
 * Headers that make browsers isolate Studio: nothing is loaded from or sent to other origins, and no page may frame it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types woof-studio',
];

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** `frames`: the origins of workbooks, if the server shows any. */
export function studioHeaders(frames: string | undefined): Record<string, string> {
  const policy = frames === undefined ? POLICY : [...POLICY, `frame-src ${frames}`];
  return { 'content-security-policy': policy.join('; '), ...HEADERS };
}
