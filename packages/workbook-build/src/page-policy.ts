/** What a built page may do: run its own script and show its own style. Nothing is fetched. */
import { createHash } from 'node:crypto';

export interface PolicyParts {
  /** The whole tag. */
  script: string;
  /** The text of the style, as it is in the page. */
  style: string;
  /** Workers and packed data are loaded as blobs of the page. */
  blobs?: boolean;
  wasm?: boolean;
}

export function pagePolicy({ script, style, blobs = false, wasm = false }: PolicyParts): string {
  const hash = hashOf(script.slice(script.indexOf('>') + 1, -'</script>'.length));
  return [
    "default-src 'none'",
    `script-src ${hash}${blobs ? ' blob:' : ''}${wasm ? " 'wasm-unsafe-eval'" : ''}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    ...(blobs ? ['worker-src blob:'] : []),
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const hashOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
