/** What code outside the exec tool needs of bundles. */
export { folderName, MANIFEST, OPEN_SUFFIX, SUMS } from './bundle-names.ts';
export { endLeftAttempts } from './end-left-attempts.ts';
export { removeBundles } from './remove-bundles.ts';
export { type BundleFault, verifyBundle, vouchedFor } from './verify-bundle.ts';
