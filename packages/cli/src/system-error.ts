/** What the operating system refused, in words: Node's own message begins with a code and ends with a system call. */
export function reasonOf({ message }: Error): string {
  return /^E[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message;
}

const DOING: Record<string, string> = { mkdir: 'create', open: 'open', rename: 'replace', scandir: 'list' };

export function systemError(error: NodeJS.ErrnoException): string {
  const { path, syscall = '' } = error;
  if (path === undefined) return reasonOf(error);
  return `cannot ${DOING[syscall] ?? 'use'} ${path}: ${reasonOf(error)}`;
}
