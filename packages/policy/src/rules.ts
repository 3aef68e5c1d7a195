/**
 * The rules, as data. An organisation's file adds to them (extend-rules.ts).
 *
 * Programs are named without directory and `.exe`, in lower case; `*` matches anything.
 */
export interface Rules {
  /** Programs that accept commands as text: allowed only with `allow_shell`. */
  shells: readonly string[];
  /** Never allowed, whatever the arguments. */
  blocked: readonly string[];
  /** Allowed only on relative paths inside the working directory, and with a warning. */
  file_tools: readonly string[];
  rules: readonly Rule[];
}

export interface Rule {
  id: string;
  decision: 'block' | 'warn';
  program: string | readonly string[];
  /** The first word that is not an option, e.g. `reset` in `git -C x reset`. */
  subcommand?: string;
  /** Each of these must match one of the arguments. */
  args?: readonly string[];
  reason: string;
}

export const NO_RULES: Rules = { shells: [], blocked: [], file_tools: [], rules: [] };

const words = (text: string): string[] => text.trim().split(/\s+/);

export const DEFAULT_RULES: Rules = {
  shells: words(`sh bash zsh fish dash ksh ksh93 mksh pdksh ash rbash csh tcsh nu elvish xonsh yash oksh
    posh sash osh ysh bash-* bash{4,5} zsh-* ksh2020
    cmd powershell pwsh`),
  blocked: words(`sudo doas su pkexec runuser sudoedit shutdown reboot halt poweroff init telinit kexec
    mkfs mkfs.* mke2fs mkswap swapoff fdisk sfdisk cfdisk gdisk sgdisk parted wipefs blkdiscard hdparm dd
    mount umount losetup cryptsetup lvremove vgremove pvremove insmod rmmod modprobe
    userdel groupdel diskutil format`),
  file_tools: words(
    'rm rmdir unlink shred truncate mv cp install chmod chown chgrp ln rimraf srm remove_directory',
  ),
  rules: [
    block('git/clean', 'git', 'clean', [], 'it deletes files that are not committed'),
    block('git/reset-hard', 'git', 'reset', ['--ha*'], 'it discards uncommitted changes'),
    warn('git/force-push', 'git', 'push', ['--force*'], 'it rewrites history that others may have'),
    warn('git/force-push', 'git', 'push', ['-f'], 'it rewrites history that others may have'),
    warn('git/force-push', 'git', 'push', ['-{u,q,n,v}f'], 'it rewrites history that others may have'),
    warn('git/force-push', 'git', 'push', ['+*'], 'it rewrites history that others may have'),
    warn(
      'git/force-push',
      'git',
      'push',
      ['{--mirror,--delete,--prune,-d}'],
      'it removes branches or tags that others may have',
    ),
    warn('git/restore', 'git', 'restore', [], 'it discards uncommitted changes'),
    warn('git/restore', 'git', 'checkout', ['--'], 'it discards uncommitted changes'),
    warn('git/restore', 'git', 'switch', ['{-f,--force,--discard*}'], 'it discards uncommitted changes'),
    warn('git/rm', 'git', 'rm', [], 'it deletes files in the working directory'),
    warn('git/worktree', 'git', 'worktree', ['remove'], 'it deletes a directory'),
    warn(
      'git/expire',
      'git',
      '{gc,reflog,prune}',
      ['{--prune*,--expire*,expire}'],
      'it deletes data that could still be restored',
    ),
    warn(
      'tar/remove-files',
      ['tar', 'bsdtar'],
      undefined,
      ['--remove-f*'],
      'it deletes the files that it packed',
    ),
    warn('git/force-checkout', 'git', 'checkout', ['-{q,B}f'], 'it discards uncommitted changes'),
    warn('git/force-checkout', 'git', 'checkout', ['-f'], 'it discards uncommitted changes'),
    warn('git/force-checkout', 'git', 'checkout', ['--force'], 'it discards uncommitted changes'),
    warn('git/delete-branch', 'git', 'branch', ['-D'], 'it deletes commits that are on no other branch'),
    warn('git/drop-stash', 'git', 'stash', ['{drop,clear}'], 'it discards uncommitted changes'),
    block(
      'power',
      ['systemctl', 'loginctl'],
      '{poweroff,reboot,halt,kexec,rescue,emergency}',
      [],
      'it stops the machine',
    ),
    block('zfs/destroy', ['zfs', 'zpool'], 'destroy', [], 'it destroys file systems'),
    block('crontab/remove', 'crontab', undefined, ['-r'], 'it removes all cron jobs of the user'),
    block('kill/all', 'kill', undefined, ['-1'], 'it ends every process of the user'),
    block(
      'firewall/flush',
      ['iptables', 'ip6tables'],
      undefined,
      ['{-F,--flush}'],
      'it removes all firewall rules',
    ),
  ],
};

function rule(
  decision: Rule['decision'],
  id: string,
  program: Rule['program'],
  subcommand: string | undefined,
  args: string[],
  reason: string,
): Rule {
  return { id, decision, program, ...(subcommand ? { subcommand } : {}), args, reason };
}

function block(...[id, ...rest]: RuleParts): Rule {
  return rule('block', id, ...rest);
}

function warn(...[id, ...rest]: RuleParts): Rule {
  return rule('warn', id, ...rest);
}

type RuleParts = [
  id: string,
  program: Rule['program'],
  subcommand: string | undefined,
  args: string[],
  reason: string,
];
