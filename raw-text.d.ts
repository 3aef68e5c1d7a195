/** The text of a file, such as a program in another language. */
declare module '*?raw' {
  const text: string;
  export default text;
}
