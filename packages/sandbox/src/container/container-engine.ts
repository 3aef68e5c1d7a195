/** Which program starts containers here: docker or podman, whichever answers first. Looked up once. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isExecutable } from '../find-program.ts';

export interface ContainerEngine {
  name: 'docker' | 'podman';
  /** By absolute path. */
  program: string;
}

/** A daemon that hangs this long counts as absent. */
const ANSWER_MS = 30_000;

const NAMES = ['docker', 'podman'] as const;

let found: Promise<ContainerEngine> | undefined;

/** The current identity of an image, because a tag can move. The name if the image is not present yet. */
export async function imageIdentity(image: string): Promise<string> {
  try {
    const { program } = await findContainerEngine();
    const args = ['image', 'inspect', '--format', '{{.Id}}', '--', image];
    return (await promisify(execFile)(program, args)).stdout.trim();
  } catch {
    return image;
  }
}

/** If neither can start containers, throws what each of them said. */
export function findContainerEngine(): Promise<ContainerEngine> {
  found ??= lookUp();
  return found;
}

async function lookUp(): Promise<ContainerEngine> {
  const complaints: string[] = [];
  for (const name of NAMES) {
    const program = onPath(name);
    const complaint = program === undefined ? 'it is not installed' : await complaintOf(program);
    if (program !== undefined && complaint === undefined) return { name, program };
    complaints.push(`${name}: ${complaint}`);
  }
  throw new Error(`no container engine works on this machine. ${complaints.join('. ')}`);
}

/** Searches the PATH, as the user's shell would. */
function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => `${folder}/${name}`).find(isExecutable);
}

/** `info` is the first command that needs the daemon. */
async function complaintOf(program: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(program, ['info'], { maxBuffer: 16 * 1024 * 1024, timeout: ANSWER_MS });
    return undefined;
  } catch (error) {
    if ((error as { killed?: boolean }).killed) return `it did not answer within ${ANSWER_MS / 1000} s`;
    const {
      stderr = '',
      stdout = '',
      message,
    } = error as { stderr?: string; stdout?: string; message: string };
    const words = (stderr.trim() || stdout.trim() || message).split('\n');
    return words.slice(-3).join(' ').replace(/\.$/, '');
  }
}
