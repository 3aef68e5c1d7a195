/** Semantic version of the API in `api.ts`; the package has the same version. */
export const VERSION = '0.1.0';
