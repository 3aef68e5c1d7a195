/**
 * The cell types of notebooks, one row per type, with what every room must know about them. How other formats write a
 * type is defined in `documents` (`notebook/cell-forms.ts`).
 */
export interface CellTraits {
  /** False: text for readers, which never runs. */
  isStep: boolean;
  /** The body is text that readers see formatted. */
  isMarkdown: boolean;
  /** The body is code, and its kernel keeps the variables that it sets. */
  isCode: boolean;
  /** The cell or the header chooses the language and the kernel. */
  choosesLanguage: boolean;
  /** The body is a value, which is bound to a name and never runs. */
  isValue: boolean;
  /** The body is a chart, drawn from the values of other cells. */
  isChart: boolean;
  /** `woof test` runs it. */
  isTest: boolean;
  /** The effects that a cell of this type has implicitly. */
  effects: readonly string[];
  /** The session that all cells of the type share, if they do not run in a language kernel. */
  session?: string;
  /** The language of every cell of the type. */
  language?: string;
  /** The name that readers see, if the type says more than the language. */
  title?: string;
  /** The syntax of the body, if it differs from the language. */
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

/** A document may contain such a cell until lint rejects it. */
const UNKNOWN: CellTraits = { ...NOTHING, isCode: true };

export function isCellType(type: string): type is CellType {
  return Object.hasOwn(TRAITS, type);
}

export function traitsOf({ type }: { type: string }): CellTraits {
  return isCellType(type) ? TRAITS[type] : UNKNOWN;
}
