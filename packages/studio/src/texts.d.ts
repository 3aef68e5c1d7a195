declare module '*.yaml' {
  const text: string;
  export default text;
}
declare module '*.woofnb' {
  const text: string;
  export default text;
}
