/**
 * Where a script is no JavaScript. Only the event of a worker that cannot be read says so; the script begins with
 * something that ends it, so that one which can be read does nothing.
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
