/** Shows an address in the person's browser, if possible; nothing waits for it. */
import { spawn } from 'node:child_process';

const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };

export function launchBrowser(url: string): void {
  const program = PROGRAMS[process.platform];
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!program || !hasScreen) return;
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  // The address is also printed.
  child.on('error', () => {});
  child.unref();
}
