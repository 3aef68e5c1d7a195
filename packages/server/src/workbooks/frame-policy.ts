/**
 * What a browser is told about the document of a workbook. Pure: what was granted goes in, headers come out.
 *
 * Three walls stand one behind the other. The sandbox gives the document an origin that equals no other: no cookies, no
 * storage, no service workers, no pop-ups, downloads or dialogs. With `storage` it has the origin that it is served from,
 * and there nothing else is served, scripts of service workers neither. The content security policy stops requests and forms. The
 * connection allowlist stops what that policy does not know: navigation of the frame, WebRTC, preconnect, DNS prefetch.
 */
import type { Permission } from '@woof/documents/workbook';

/** Features that a browser lets a page use, or ask a person for. */
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

/** On everything that the host answers. */
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
    // It cannot widen its origin by document.domain, and shares no process with other origins of its site.
    'origin-agent-cluster': '?1',
    'connection-allowlist': net ? '(response-origin "https://*:*" "wss://*:*")' : '(response-origin)',
    'permissions-policy': NO_FEATURES,
  };
}

/** Code stands in the file, whatever was granted: `net` lets data in and out, never further scripts. */
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
  /** Origins that it may show. */
  frames: readonly string[];
}

/** The page around a workbook may be shown by nobody, opened by nobody, and shows nothing but workbooks. */
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
