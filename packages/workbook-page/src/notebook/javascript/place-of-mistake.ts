/**
 * Where a script is not valid JavaScript. Only the error event of a worker that cannot parse it tells the place. The
 * script begins with a statement that ends it, so that a script that can be parsed does nothing.
 */
const END = 'throw 0;';

export function placeOfMistake(
  script: string,
  start: typeof Worker,
): Promise<{ line: number; column: number } | undefined> {
  const url = URL.createObjectURL(new Blob([END + script], { type: 'text/javascript' }));
  const worker = new start(url);
  return new Promise((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      URL.revokeObjectURL(url);
      const { message, lineno: line, colno } = event;
      resolve(
        /SyntaxError/.test(message ?? '')
          ? { line, column: line === 1 ? colno - END.length : colno }
          : undefined,
      );
    };
  });
}
