/** The host of workbooks: shows HTML that others wrote, in a sandbox. */
export { type Grant, Grants } from './grants.ts';
export { KeptValues } from './kept-values.ts';
export { type OpenedHost, openWorkbook } from './open-workbook.ts';
export { type Page, type PageProblem, readPage, tooLarge } from './read-page.ts';
export { grantKeyFrom, type WorkbookOptions } from './workbook-pages.ts';
