/** Something that cannot be done for reasons that its author can fix: all of them, each with its file and line. */
import { renderDiagnostics } from '@woof/documents';
import { maskSecrets } from '@woof/documents/workbook';
import type { Diagnostic } from '@woof/net';

export interface FileProblem extends Diagnostic {
  file: string;
}

export class Refused extends Error {
  constructor(
    readonly problems: readonly FileProblem[],
    /** The text of a file, for the lines that messages show. */
    readonly textOf: (file: string) => string = () => '',
  ) {
    super(problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join('\n'));
  }

  render(options: { color: boolean }): string {
    return this.problems
      .map((problem) =>
        renderDiagnostics([problem], maskSecrets(this.textOf(problem.file)), problem.file, options),
      )
      .join('\n');
  }
}
