/** `node` is the version that runs, unless told. */
export function isBuilt(root: string, node?: string): boolean;
export function markBuilt(root: string, node?: string): void;
