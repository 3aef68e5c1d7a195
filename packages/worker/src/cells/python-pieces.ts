/** Reads Python text piece by piece: a text in quotes, a comment, a sign of structure, or what is between these. */
const LONG = /'''(?:[^'\\]|'(?!'')|\\[\s\S])*'''|"""(?:[^"\\]|"(?!"")|\\[\s\S])*"""/;
const SHORT = /'(?!'')(?:[^'\\\n]|\\[^\n])*'|"(?!"")(?:[^"\\\n]|\\[^\n])*"/;
const PLAIN = /[^'"#\\()[\]{}:;\r\n]+|[^'"#\\]/;
const PIECE = new RegExp(`${PLAIN.source}|${LONG.source}|${SHORT.source}|#[^\\n]*`, 'y');

/** Where the piece at this place ends; the place itself if that is not certain, as after a backslash. */
export function pieceEnd(text: string, at: number): number {
  PIECE.lastIndex = at;
  return PIECE.test(text) ? PIECE.lastIndex : at;
}
