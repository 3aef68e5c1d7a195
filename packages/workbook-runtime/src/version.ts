/** Semantic versioning of what `api.ts` promises; the package has the same. */
export const VERSION = '0.1.0';
