import { expect, it } from 'vitest';
import { advice, installCommand, probeSandbox, sandboxRefusal } from './probe-sandbox.ts';

it.each([
  ['ID=debian\n', 'sudo apt install bubblewrap'],
  ['ID=ubuntu\nID_LIKE=debian\n', 'sudo apt install bubblewrap'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"\n', 'sudo dnf install bubblewrap'],
  ['ID=arch\n', 'sudo pacman -S bubblewrap'],
  ['ID=alpine\n', 'sudo apk add bubblewrap'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"\n', 'sudo zypper install bubblewrap'],
])('knows the install command on %j', (release, command) => {
  expect(installCommand(release)).toBe(command);
});

it('explains why bubblewrap fails', () => {
  expect(advice('bwrap: Unknown option --disable-userns')).toMatch(/0\.8 or newer/);
  expect(advice('bwrap: setting up uid map: Permission denied')).toMatch(/user namespaces/);
});

it('runs once, and a refusal offers both remedies', async () => {
  expect(probeSandbox()).toBe(probeSandbox());
  expect(await probeSandbox()).toHaveProperty('available');
  const refusal = sandboxRefusal({ available: false, reason: 'no bwrap', fix: 'Install it' });
  expect(refusal).toBe(
    'untrusted code needs a sandbox and this machine has none: no bwrap. Install it, or run with --no-sandbox',
  );
});
