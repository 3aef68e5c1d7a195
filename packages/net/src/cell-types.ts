/**
 * The cell types of notebooks, one row per type: what every room must know about each of them. How a type is written in
 * other formats is in `documents` (`notebook/cell-forms.ts`).
 */
export interface CellTraits {
  /** False: text for readers, which no run touches. */
  isStep: boolean;
  /** The body is text that readers see formatted. */
  isMarkdown: boolean;
  /** The body is code, and its kernel keeps what it leaves. */
  isCode: boolean;
  /** The cell or the header chooses the language and the kernel. */
  choosesLanguage: boolean;
  /** The body is a value, which is bound and never runs. */
  isValue: boolean;
  /** The body is a chart, drawn from what other cells leave. */
  isChart: boolean;
  /** `woof test` runs it. */
  isTest: boolean;
  /** What a cell of this type declares without saying so. */
  effects: readonly string[];
  /** The session of all cells of the type, for those that run in no kernel of a language. */
  session?: string;
  /** The language of every cell of the type. */
  language?: string;
  /** For readers, if the type says more than the language. */
  title?: string;
  /** What its body looks like, if that is not its language. */
  highlightAs?: string;
}

const NOTHING = {
  isStep: true,
  isMarkdown: false,
  isCode: false,
  choosesLanguage: false,
  isValue: false,
  isChart: false,
  isTest: false,
  effects: [],
} satisfies Partial<CellTraits>;

const ROWS = {
  code: { ...NOTHING, isCode: true, choosesLanguage: true },
  md: { ...NOTHING, isStep: false, isMarkdown: true },
  data: { ...NOTHING, title: 'Data', isValue: true, session: 'data', highlightAs: 'data' },
  test: { ...NOTHING, isCode: true, choosesLanguage: true, isTest: true },
  viz: { ...NOTHING, title: 'Chart', isChart: true, language: 'vega', highlightAs: 'json' },
  bash: { ...NOTHING, isCode: true, language: 'bash', effects: ['shell'] },
  raw: { ...NOTHING, isStep: false },
} satisfies Record<string, CellTraits>;

export type CellType = keyof typeof ROWS;

const TRAITS: Readonly<Record<CellType, CellTraits>> = ROWS;

/** In the order in which messages list them. */
export const CELL_TYPES = Object.keys(ROWS) as CellType[];

/** What a document may hold before lint refuses it. */
const UNKNOWN: CellTraits = { ...NOTHING, isCode: true };

export function isCellType(type: string): type is CellType {
  return Object.hasOwn(TRAITS, type);
}

export function traitsOf({ type }: { type: string }): CellTraits {
  return isCellType(type) ? TRAITS[type] : UNKNOWN;
}
