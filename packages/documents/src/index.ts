export { type DocumentKind, type ReadOptions, type ReadResult, readDocument } from './document.ts';
