/** One bounded call to a service that provides secrets. Its answer is never shown, because it may contain a secret. */
import { decodeJson, isObject, type JsonObject, type KeychainEntry } from '@woof/net';
import { KeychainFault } from './keychain-fault.ts';

const PATIENCE_MS = 15_000;
const LARGEST = 1024 * 1024;

export interface Answer {
  status: number;
  body: JsonObject;
}

export async function askService(entry: KeychainEntry, url: string, init: RequestInit): Promise<Answer> {
  const target = addressOf(entry, url);
  try {
    // A secret goes only to the service that it is for.
    const response = await fetch(target, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, body: parsed(await boundedText(response)) };
  } catch (error) {
    const { cause, name } = error as { cause?: { code?: string }; name?: string };
    const why =
      name === 'TimeoutError' ? 'it did not answer in 15 s' : (cause?.code ?? 'it cannot be reached');
    throw new KeychainFault(
      entry,
      `${target.origin}: ${why}`,
      'check the address, and whether the service is running',
      true,
    );
  }
}

export function refusedBy(entry: KeychainEntry, url: string, { status, body }: Answer): KeychainFault {
  const said = typeof body.error === 'string' && /^[\w.-]{1,64}$/.test(body.error) ? ` (${body.error})` : '';
  const { origin } = addressOf(entry, url);
  return new KeychainFault(
    entry,
    `${origin} answered ${status}${said}`,
    'check the credentials of the entry, and whether they may read this secret',
    status === 429 || status >= 500,
  );
}

function addressOf(entry: KeychainEntry, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new KeychainFault(entry, 'it has no valid address', 'write one such as https://vault.example.org');
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LARGEST) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = decodeJson(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
