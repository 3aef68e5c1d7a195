/** Keys that other dialects and tools use for conditions. */
export const CONDITION_KEYS = ['expr', 'eval', 'if', 'unless', 'condition', 'case'] as const;
