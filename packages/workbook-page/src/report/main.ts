/** The script of a report's page: it reads its own source bundle and shows the run. */
import { showReport } from './report.tsx';
import { fromRunFiles, type RunFile } from './run-data.ts';

interface Payload {
  files: { path: string; content: string | null }[];
}

async function ownFiles(): Promise<RunFile[]> {
  const text = document.getElementById('wb-source-bundle')?.textContent ?? '';
  const gzipped = new Blob([bytesOf(text)]).stream();
  const payload = new Response(gzipped.pipeThrough(new DecompressionStream('gzip')));
  const { files } = (await payload.json()) as Payload;
  const decoder = new TextDecoder();
  return files.map(({ path, content }) => ({ path, text: decoder.decode(bytesOf(content ?? '')) }));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

async function begin(): Promise<void> {
  const root = document.querySelector<HTMLElement>('main')!;
  try {
    await showReport(fromRunFiles(await ownFiles()), root);
  } catch (error) {
    const said = document.createElement('p');
    said.className = 'none';
    said.setAttribute('role', 'alert');
    said.textContent = `The run could not be replayed here (${String(error)}). The page shows how it ended.`;
    root.prepend(said);
  }
}

// The bundle is at the end of the page.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => void begin());
else void begin();
