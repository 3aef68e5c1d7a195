/** Writes to stdout and waits if the reader is slower, so that a long log is never held in memory. */
export async function writeOut(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
}
