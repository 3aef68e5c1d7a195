/**
 * Columns of a table as Arrow has them, as far as DuckDB's types need.
 *
 * What Arrow has no exact type for is text, and `sql` says what it was: intervals, bit strings, times with a zone, enums, whole
 * numbers without a bound. What has no text of its own either (unions, variants) is JSON, and `encoded` says so.
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
  /** Of a number. */
  bits?: number;
  signed?: boolean;
  precision?: number;
  scale?: number;
  /** Of a time: 0 seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds. */
  unit?: number;
  zone?: string;
  /** Bytes of a fixed value, items of a fixed list. */
  width?: number;
  children?: ArrowField[];
  /** DuckDB's word for the type, where Arrow's says less. */
  sql?: string;
  encoded?: boolean;
}

/** The media type of a stream of it. */
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream';

export function isArrow(value: unknown): value is Reference & { schema_hint: JsonObject } {
  if (!isReference(value)) return false;
  return (value.schema_hint as JsonObject | null)?.content_type === ARROW_STREAM;
}

/** What is wrong with bytes that should be Arrow. */
export class ArrowFault extends Error {}

/** Nothing is wrong with them, but they are more than can be held at once. */
export class ArrowTooLarge extends ArrowFault {}
