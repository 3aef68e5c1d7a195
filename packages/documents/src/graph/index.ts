/** What a page needs to show the drawing of a plan; `@woof/documents/drawing` makes it. */
export { type Drawing, NODE, type Numbers, typeOfStep } from './picture.ts';
