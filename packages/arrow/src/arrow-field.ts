/**
 * The columns of a table in Arrow's terms, as far as DuckDB's types need them.
 *
 * Types that Arrow cannot represent exactly are stored as text, and `sql` names the original type: intervals, bit
 * strings, times with a zone, enums, unbounded integers. Types that have no text form either (unions, variants) are
 * stored as JSON and marked `encoded`.
 */
import { isReference, type JsonObject, type Reference } from '@woof/net';

export type ArrowKind =
  | 'null'
  | 'bool'
  | 'int'
  | 'float'
  | 'decimal'
  | 'utf8'
  | 'binary'
  | 'fixed'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'list'
  | 'fixed_list'
  | 'struct'
  | 'map';

export interface ArrowField {
  name: string;
  kind: ArrowKind;
  /** For numbers. */
  bits?: number;
  signed?: boolean;
  precision?: number;
  scale?: number;
  /** For times: 0 seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds. */
  unit?: number;
  zone?: string;
  /** The bytes of a fixed-size value, or the items of a fixed-size list. */
  width?: number;
  children?: ArrowField[];
  /** DuckDB's name for the type, if it says more than Arrow's. */
  sql?: string;
  encoded?: boolean;
}

/** The media type of an Arrow IPC stream. */
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream';

export function isArrow(value: unknown): value is Reference & { schema_hint: JsonObject } {
  if (!isReference(value)) return false;
  return (value.schema_hint as JsonObject | null)?.content_type === ARROW_STREAM;
}

/** What is wrong with bytes that should be Arrow. */
export class ArrowFault extends Error {}

/** The bytes are valid, but there are more of them than fit in memory at once. */
export class ArrowTooLarge extends ArrowFault {}
