/** `node`: a version of Node; by default, the one that runs. */
export function isBuilt(root: string, node?: string): boolean;
export function markBuilt(root: string, node?: string): void;
