export interface SupportedNode {
  version: string;
  program: string;
  present: boolean;
}

export function otherNodes(): SupportedNode[];
