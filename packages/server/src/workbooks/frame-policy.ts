/**
 * The headers of a workbook's document. Pure: computes them from what was granted.
 *
 * There are three layers of defence. The sandbox gives the document an opaque origin: no cookies, no storage, no
 * service workers, no pop-ups, downloads or dialogs. With `storage`, the document has the origin that it is served
 * from, where nothing else is served, not even scripts of service workers. The content security policy blocks requests
 * and forms. The connection allowlist blocks what that policy does not cover: navigation of the frame, WebRTC,
 * preconnect and DNS prefetch.
 */
import type { Permission } from '@woof/documents/workbook';

/** Features that a browser lets a page use or request from the user. */
const FEATURES = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'compute-pressure',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'local-network-access',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'speaker-selection',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

const NO_FEATURES = FEATURES.map((feature) => `${feature}=()`).join(', ');

/** On every response of the host. */
export const COMMON_HEADERS: Record<string, string> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
  'cross-origin-resource-policy': 'same-origin',
};

export interface FrameRules {
  granted: readonly Permission[];
  shellOrigin: string;
  sandbox: string;
}

export function frameHeaders(rules: FrameRules): Record<string, string> {
  const net = rules.granted.includes('net');
  return {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': framePolicy(rules),
    // The page cannot widen its origin with document.domain, and shares no process with other origins of its site.
    'origin-agent-cluster': '?1',
    'connection-allowlist': net ? '(response-origin "https://*:*" "wss://*:*")' : '(response-origin)',
    'permissions-policy': NO_FEATURES,
  };
}

/** All code is in the file, whatever was granted: `net` lets data in and out, but loads no further scripts. */
function framePolicy({ granted, shellOrigin, sandbox }: FrameRules): string {
  const net = granted.includes('net');
  const web = net ? ' https:' : '';
  return [
    `default-src 'none'`,
    `script-src 'unsafe-inline' 'unsafe-eval' blob:`,
    `worker-src blob:`,
    `style-src 'unsafe-inline' blob: data:${web}`,
    `img-src blob: data:${web}`,
    `font-src blob: data:${web}`,
    `media-src blob: data:${web}`,
    `connect-src blob: data:${web}${net ? ' wss:' : ''}`,
    `frame-src 'none'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors ${shellOrigin}`,
    `sandbox ${sandbox}`,
  ].join('; ');
}

export interface ShellParts {
  scriptHash: string;
  styleHash: string;
  /** Origins that the page may show in frames. */
  frames: readonly string[];
}

/** No page may frame or open the page around a workbook, and it shows only workbooks. */
export function shellHeaders({ scriptHash, styleHash, frames }: ShellParts): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `script-src ${scriptHash}`,
    `style-src ${styleHash}`,
    `connect-src 'self'`,
    `frame-src ${frames.join(' ')}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ];
  return {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'origin-agent-cluster': '?1',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': NO_FEATURES.replace('clipboard-read=()', 'clipboard-read=(self)').replace(
      'clipboard-write=()',
      'clipboard-write=(self)',
    ),
  };
}
