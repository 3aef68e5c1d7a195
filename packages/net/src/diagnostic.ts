/** A problem with something that a person wrote: one value, rendered by the terminal, HTTP, editors and Studio. */
export interface Diagnostic {
  /** `<area>/<problem>`, e.g. `playbook/unknown-kind`. Each code has an entry in docs/diagnostics.md. */
  code: string;
  severity: 'error' | 'warning';
  message: string;
  /** 1-based. */
  line: number;
  column: number;
  /** 1-based, exclusive; for the underline in code frames. */
  endColumn?: number;
  hint?: string;
}

/** 1-based line and column in the source. */
export type Position = readonly [line: number, column: number];
