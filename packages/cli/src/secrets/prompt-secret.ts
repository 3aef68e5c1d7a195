/** Reads values from a person without showing them, or from standard input. */
import { UserError } from '../user-error.ts';

const MOST_BYTES = 1024 * 1024;

export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES)
      throw new UserError('stdin has more than 1 MiB', 'check that it is the right file', 2);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Nothing is echoed, not even stars. */
export async function promptSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(`${question}: `);
  stdin.setRawMode(true);
  try {
    return await readKeys(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

function readKeys(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const end = () => stdin.off('data', take);
    const take = (chunk: Buffer) => {
      for (const key of chunk.toString('utf8')) {
        if (key === '\r' || key === '\n' || key === '\u0004') {
          end();
          return resolve(text);
        }
        if (key === '\u0003') {
          end();
          return reject(new UserError('interrupted'));
        }
        text = key === '\u007f' || key === '\b' ? text.slice(0, -1) : text + key;
      }
    };
    stdin.on('data', take);
    stdin.resume();
  });
}
