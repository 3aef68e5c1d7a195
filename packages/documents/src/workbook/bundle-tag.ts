/**
 * The tag that contains the source bundle, with its attributes as written, so that a reader can say what is wrong with
 * them.
 */
import { escapeAttribute } from './inline-text.ts';

export const BUNDLE_ID = 'wb-source-bundle';
export const BUNDLE_TYPE = 'application/x-workbook-source';

export interface BundleTag {
  version: string;
  format: string;
  rootName: string;
  fileCount: string;
  /** Size of the gzip data in bytes. */
  bundleSize: string;
  /** Size of the JSON. */
  uncompressedSize: string;
  /** Base64. */
  content: string;
}

export function printBundleTag(tag: BundleTag): string {
  const attributes = [
    ['id', BUNDLE_ID],
    ['type', BUNDLE_TYPE],
    ['data-format', tag.format],
    ['data-version', tag.version],
    ['data-root-name', tag.rootName],
    ['data-file-count', tag.fileCount],
    ['data-bundle-size', tag.bundleSize],
    ['data-uncompressed-size', tag.uncompressedSize],
  ] as const;
  const printed = attributes.map(([name, value]) => `${name}="${escapeAttribute(value)}"`).join(' ');
  if (/[^A-Za-z0-9+/=\s]/.test(tag.content)) throw new Error('the content of a bundle is base64');
  return `<script ${printed}>${tag.content}</script>`;
}

export function readBundleTag(attribute: (name: string) => string | undefined, content: string): BundleTag {
  return {
    version: attribute('data-version') ?? '',
    format: attribute('data-format') ?? '',
    rootName: attribute('data-root-name') ?? '',
    fileCount: attribute('data-file-count') ?? '',
    bundleSize: attribute('data-bundle-size') ?? '',
    uncompressedSize: attribute('data-uncompressed-size') ?? '',
    content,
  };
}
