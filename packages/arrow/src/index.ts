export { ARROW_STREAM, ArrowFault, type ArrowField, ArrowTooLarge, isArrow } from './arrow-field.ts';
export { type ArrowBatch, type ArrowPart, ArrowReader } from './arrow-reader.ts';
export { arrowRows, jsonOf, rowsOfBatch, streamRows } from './arrow-rows.ts';
export { type BatchHeader, batchMessage, END_OF_STREAM, padded, schemaMessage } from './arrow-writer.ts';
export { castSql, identifier, storageSql } from './sql-types.ts';
