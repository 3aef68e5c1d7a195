/** An npm registry on loopback that has only the packages of one folder. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

interface Manifest {
  name: string;
  version: string;
}

export interface Registry {
  url: string;
  /** What npm requested, in order. */
  asked: string[];
  close(): void;
}

export async function startRegistry(folder: string): Promise<Registry> {
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const manifests = tarballs.map((file) => ({ file, ...manifestOf(join(folder, file)) }));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    asked.push(path);
    const found = manifests.find(({ name, file }) => path === name || path === `-/${file}`);
    if (found === undefined) return response.writeHead(404).end('{}');
    if (path === found.name) return response.end(JSON.stringify(packument(found, folder, urlOf())));
    return response.end(readFileSync(join(folder, found.file)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url: urlOf(), asked, close: () => server.close().closeAllConnections() };
}

function manifestOf(tarball: string): Manifest {
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return JSON.parse(text) as Manifest;
}

function packument({ file, ...manifest }: Manifest & { file: string }, folder: string, url: string) {
  const { name, version } = manifest;
  const hash = createHash('sha512')
    .update(readFileSync(join(folder, file)))
    .digest('base64');
  const dist = { tarball: `${url}-/${file}`, integrity: `sha512-${hash}` };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
