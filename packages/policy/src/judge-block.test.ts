import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RULES, extendRules, judgeBlock } from './index.ts';

/** Splits at spaces, except for those between « and ». */
function toArgv(line: string): string[] {
  return [...line.matchAll(/(?:«[^»]*»|[^\s«])+/g)].map(([word]) => word.replaceAll(/[«»]/g, ''));
}

function judge(line: string, allowShell = false) {
  const [program = '', ...args] = toArgv(line);
  return judgeBlock({ workdir: '.', allow_shell: allowShell, commands: [{ program, args }] });
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Typical accidents: blocked whether or not a shell is allowed. */
const BLOCKED = lines(`
  rm -rf /
  rm -rf /home/me
  rm -rf ..
  rm ../x
  rm a/../../b
  rm -rf .
  rm -rf ./
  rm -r -- /
  rm -rf build /etc
  rm -f C:\\\\Windows
  /bin/rm -rf /
  ../../bin/rm -rf /
  ./rm -rf /
  RM -rf /
  rmdir /tmp/x
  unlink /etc/passwd
  shred /dev/sda
  truncate -s 0 /etc/passwd
  mv x /usr/bin/x
  mv -t /etc a b
  mv --target-directory=/etc a
  mv . x
  cp /etc/passwd x
  cp x ../../y
  cp -t /etc a
  install -m 755 x /usr/bin/x
  chmod 777 /
  chmod -R 777 .
  chmod -R 777 /var
  chown root /etc
  chown -R me:me .
  chgrp wheel /etc/sudoers
  ln -s /etc/passwd x
  ln -s x /bin/sh
  sudo true
  sudo -u root rm -rf /
  doas true
  su -c true
  pkexec true
  shutdown now
  /sbin/shutdown -h now
  reboot
  halt
  poweroff
  init 0
  mkfs /dev/sda
  mkfs.ext4 /dev/sda1
  mkswap /dev/sda2
  fdisk /dev/sda
  parted /dev/sda
  wipefs -a /dev/sda
  dd if=/dev/zero of=/dev/sda
  mount /dev/sda /mnt
  umount /
  git clean -fdx
  git clean
  git reset --hard
  git reset --hard HEAD~3
  git -C x reset --hard
  git -c a.b=c reset --hard
  git --git-dir=x reset --hard
  git --work-tree x clean -f
  systemctl poweroff
  systemctl --force reboot
  zpool destroy tank
  crontab -r
  kill -9 -1
  env rm -rf /
  env A=b rm -rf /
  env -i A=b C=d rm -rf /
  env -u HOME rm -rf /
  env -C / rm -rf /
  env -S «rm -rf /»
  env --split-string=«rm -rf /»
  env -i -S «A=b rm -rf /»
  env --unknown-option x rm -rf /
  nice rm -rf /
  nice -n 10 rm -rf /
  nice -10 rm -rf /
  nice --adjustment=5 rm -rf /
  ionice -c 3 rm -rf /
  timeout 5 rm -rf /
  timeout -k 5 10 rm -rf /
  timeout --signal=KILL 10 rm -rf /
  timeout -s KILL 10 env nice rm -rf /
  nohup rm -rf /
  setsid -f rm -rf /
  stdbuf -oL rm -rf /
  stdbuf -o L rm -rf /
  time -p rm -rf /
  command rm -rf /
  command -p rm -rf /
  exec -a x rm -rf /
  chroot /mnt rm -rf /
  chroot --userspec=0 /mnt rm -rf /
  unshare -m rm -rf /
  nsenter -t 1 -m rm -rf /
  setpriv --reuid 0 rm -rf /
  flock lock rm -rf /
  flock lock -c «rm -rf /»
  strace -f -o x rm -rf /
  taskset 1 rm -rf /
  xvfb-run -a rm -rf /
  script -c «rm -rf /» out
  systemd-run --scope rm -rf /
  busybox rm -rf /
  toybox rm -rf /
  busybox env rm -rf /
  xargs rm
  xargs -0 rm
  xargs -0 rm -rf
  xargs -n 1 rm
  xargs -I{} rm {}
  xargs -a list rm -rf
  xargs nice rm
  xargs --max-args=1 rm
  xargs mv -t out
  parallel rm
  parallel -j 4 rm {}
  find . -delete
  find -delete
  find / -name x -delete
  find .. -name x -delete
  find /tmp -exec rm {} ;
  find /tmp -exec rm {} +
  find .. -execdir rm -f {} ;
  find . -exec env rm -rf / ;
  find . -ok rm ../{} ;
  ssh host rm -rf /
  ssh -p 22 host rm -rf /
  ssh host «cd x && rm -rf /»
  watch -n 5 rm -rf /
  watch «rm -rf /»
  eval «rm -rf /»
  npx -c «rm -rf /»
  npm exec -- rm -rf /
  poetry run rm -rf /
  uv run --with x rm -rf /
  tar xf a.tar --to-command=«rm -rf /»
  tar xf a.tar --to-command «rm -rf /»
  tar cf a.tar --checkpoint=1 --checkpoint-action=exec=«rm -rf /» x
  tar -I «rm -rf /» -xf x
  rsync -a --delete x/ /
  rsync -a --delete x/ ../y
  rsync --delete-after x/ host:/y
  rsync -e «rm -rf /» x y
  git -c alias.x=«!rm -rf /» x
  git -c core.sshCommand=«rm -rf /» fetch
  env - rm -rf /
  env - A=b rm -rf /
  env --split=«rm -rf /»
  env --split-str «rm -rf /»
  nice --adj 5 rm -rf /
  chmod -w /etc/passwd
  chmod -R -w /etc
  chmod --ref=x /etc
  mv --target=/etc a
  rsync -a --remove-source-files /home/me b
  gtimeout 5 rm -rf /
  genv rm -rf /
  grm -rf /
  /lib64/ld-linux-x86-64.so.2 /bin/rm -rf /
  ld.so --library-path /lib /bin/rm -rf /
  /lib/ld-musl-x86_64.so.1 /bin/rm -rf /
  rimraf /home/me
  mpirun -np 4 rm -rf /
  mpiexec -n 4 rm -rf /
  salloc -n 1 rm -rf /
  sbatch --wrap=«rm -rf /»
  sbatch --wrap «rm -rf /»
  cmake -E rm -rf /
  cmake -E remove_directory /home
  cmake -E env A=b rm -rf /
  cmake -E chdir x rm -rf /
  cmake -E time rm -rf /
  fd -x rm
  fd . / --exec rm -rf
  fdfind -X rm
  ssh -o ProxyCommand=«rm -rf /» host
  ssh -oProxyCommand=«rm -rf /» host true
  scp -o «ProxyCommand rm -rf /» a b:
  scp -S «rm -rf /» a b:
  split --filter=«rm -rf /» x
  sort --compress-program=«rm -rf /» x
  man --pager=«rm -rf /» ls
  go test -exec «rm -rf /» ./...
  socat - SYSTEM:«rm -rf /»
  nc -l -p 1 -e «rm -rf /»
  gdb -batch -ex «shell rm -rf /»
  hyperfine «rm -rf /»
  tar -F «rm -rf /» -cf x y
  tar --use-comp=«rm -rf /» -cf x y
  tar cf x y --checkpoint=1 --checkpoint-action exec=«rm -rf /»
  git rebase --exec «rm -rf /» main
  git rebase -x «rm -rf /» main
  git bisect run rm -rf /
  git submodule foreach «rm -rf /»
  git submodule foreach --recursive rm -rf /
  git filter-branch --tree-filter «rm -rf /»
  git difftool -x «rm -rf /»
  git difftool --extcmd=«rm -rf /»
  git -c diff.external=«rm -rf /» diff
  git -c sequence.editor=«rm -rf /» rebase -i
  git -c credential.helper=«!rm -rf /» fetch
  git clone ext::«rm -rf /» x
  eatmydata rm -rf /
  faketime 2020-01-01 rm -rf /
  chronic rm -rf /
  sshpass -p x ssh host rm -rf /
  sshpass -p x rm -rf /
  setuidgid me rm -rf /
  sg staff -c «rm -rf /»
  nix-shell -p x --run «rm -rf /»
  mise exec -- rm -rf /
  op run -- rm -rf /
  pyenv exec rm -rf /
  screen -dm rm -rf /
  tmux new -d «rm -rf /»
  loginctl poweroff
  env -C / rm -rf x
  env -iC /etc rm x
  env --chdir=/etc rm x
  env --chdi .. rm x
  env -S «-C /etc rm x»
  env -S«A=b rm -rf /»
  nice env -C / timeout 5 rm -rf x
  env -C / find . -name x -delete
  env -C / rsync --delete a b
  cmake -E chdir /etc rm x
  unshare --wd=/ rm x
  systemd-run --working-directory=/ rm x
  mpirun -wdir / rm x
  srun --chdir=/ rm x
  srun -D / rm x
`);

/** Shells and inline code: allowed only with allow_shell. */
const NEEDS_SHELL = lines(`
  sh
  bash
  bash script.sh
  bash -c true
  bash -lc true
  bash --norc -c true
  /bin/bash
  /usr/local/bin/zsh -c true
  ./bash
  dash -c true
  fish -c true
  ksh -c true
  cmd.exe /c dir
  cmd /c dir
  powershell -Command ls
  powershell.exe ls
  pwsh -c ls
  env bash
  env -i bash -c true
  env -S «bash -c true»
  nice bash -c true
  timeout 5 sh -c true
  nohup sh -c true
  busybox sh
  busybox sh -c true
  busybox ash
  xargs sh -c true
  xargs -I{} bash -c «echo {}»
  find . -exec sh -c «echo x» ;
  ssh host bash -s
  python -c «import os»
  python3 -c pass
  python3.11 -c pass
  /usr/bin/python3 -c pass
  python3 -Bc pass
  python3 -u -c pass
  python3 -W ignore -c pass
  pypy3 -c pass
  perl -e 1
  perl -E 1
  perl -ne print
  perl -i -pe s/a/b/ x
  perl -lane print x
  perl -Mstrict -e 1
  perl -e «system("ls")»
  ruby -e 1
  ruby -ne 1
  node -e 1
  node --eval 1
  node --eval=1
  node -p 1
  node --print 1
  node -pe 1
  node -r ./x -e 1
  bun -e 1
  deno eval 1
  php -r 1
  lua -e 1
  Rscript -e 1
  julia -e 1
  osascript -e 1
  env python3 -c pass
  timeout 5 node -e 1
  xargs python3 -c pass
  awk «BEGIN{system("ls")}»
  gawk «BEGIN { print "x" | "sh" }»
  awk «BEGIN{"ls" | getline x}»
  sed «1e ls» x
  sed -n «s/a/b/e» x
  psql -c «\\! ls»
  sqlite3 x.db «.shell ls»
  vim -c «!ls» x
  vim +!ls
  env - bash
  bash-5.2 -c true
  make --eval=«x:;ls»
  make -E «x:;ls»
  make -C sub --eval «x:;ls»
  expect -c «spawn ls»
  fd -x sh -c ls
  git bisect run sh -c true
  /lib64/ld-linux-x86-64.so.2 /bin/sh
`);

const HARMLESS = lines(`
  true
  echo rm -rf /
  echo sudo reboot
  grep rm file
  grep -r rm -rf /
  grep bash /etc/passwd
  cat bash.txt
  cat rm
  ls /
  ls -la ..
  cat /etc/passwd
  make clean
  make -C sub all
  cargo build --release
  npm ci
  npm run build
  npm run clean
  npm test -- --rm
  docker run --rm alpine true
  git status
  git reset --soft HEAD~1
  git reset HEAD x
  git commit -m «clean reset --hard»
  git log --grep clean
  git checkout main
  git push origin main
  git -C x status
  git -c user.name=x commit -m y
  gcc -c main.c -o main.o
  gcc -e entry x.c
  python script.py
  python script.py -c x
  python3 -m pytest -c x.ini
  python3 -m http.server
  python3 -m venv .venv
  python3 -W ignore script.py -c x
  perl script.pl -e x
  perl -Mstrict script.pl
  perl -Ilib script.pl
  node script.js -e x
  node --max-old-space-size=100 script.js
  node -r ./setup.js app.js
  node --test
  ruby script.rb -e x
  php artisan migrate -r x
  deno run script.ts eval
  awk «{print $1}» file
  awk -F: «{ print $1 }» /etc/passwd
  awk -f system.awk x
  sed s/a/e/ x
  sed -n 1p x
  sed -e s/system/x/ -e s/rm/x/ file
  sed s/see/tree/g x
  find . -name rm
  find . -name *.o
  find / -name x
  find . -exec grep rm {} ;
  find . -exec cat {} +
  find . -type f -print
  xargs grep rm
  xargs -n 1 echo rm
  xargs -0 cat
  env A=b make
  env
  env -i make all
  nice make
  nice -n 5 make
  timeout 10 make
  timeout 10 grep rm x
  time make
  nohup make
  stdbuf -oL make
  flock lock make
  ssh host uptime
  ssh host ls /
  tar xf a.tar
  tar czf out.tgz src
  tar xf a.tar -C sub
  rsync -a x/ y/
  rsync -avz x/ host:/y
  kill -9 1234
  crontab -l
  systemctl status reboot
  systemctl restart nginx
  mkdir -p /tmp/x
  touch x
  pytest -k rm
  bashate script.sh
  shellcheck script.sh
  sha256sum x
  ./run-bash-tests
  ./build.sh
  busybox ls
  psql -c «select 1»
  sqlite3 x.db «select 1»
  poetry install
  poetry run pytest
  uv run pytest
  mpirun -np 4 ./solver
  srun ./solver
  vim --version
  command -v bash
  make -j4 -f Makefile all
  make CFLAGS=-E all
  git bisect run make test
  git rebase main
  git rebase --exec «make test» main
  git submodule foreach git pull
  git log -O order
  git clone --filter=blob:none x
  git worktree add x
  git gc
  mpirun -np 4 --host a,b ./solver
  cmake -E make_directory x
  cmake --build build
  fd rm
  fd -e rm src
  ssh -o StrictHostKeyChecking=no host uptime
  scp -o BatchMode=yes a b:
  sort -k 2 x
  split -l 100 x
  man ls
  go test ./...
  hyperfine «make test»
  socat - TCP:host:80
  nc -z host 80
  tar -cvzf x.tgz src
  tar -xf Files.tar
  tar --checkpoint=10 -cf x y
  screen -ls
  faketime 2020-01-01 make
`);

/** Destructive, but inside the working directory. */
const WARNED = lines(`
  env -C sub rm x
  rm build/x
  rm -rf build
  rm -rf ./build
  rm -rf build dist node_modules
  rm -- -x
  /bin/rm x
  rmdir build
  unlink x
  mv a b
  mv a sub/b
  cp a b
  cp -r src dst
  cp x .
  mv a b c/
  chmod +x run
  chmod 755 a/b
  chmod -R u+w build
  chown me x
  ln -s a b
  truncate -s 0 log.txt
  install -m 755 a bin/a
  env rm build/x
  nice -n 5 rm -rf build
  timeout 5 rm -rf build
  busybox rm build/x
  find build -delete
  find . -name *.o -delete
  find build -exec rm {} +
  find . -name *.o -exec rm -f {} ;
  rsync -a --delete x/ y/
  git push --force
  git push -f origin x
  git checkout -f
  git branch -D x
  git stash drop
  git push origin +main
  git push -uf origin x
  git push --mirror
  git restore x
  git checkout -- .
  git switch --discard-changes x
  git rm -r build
  git worktree remove x
  git gc --prune=now
  tar -cf x.tar --remove-files y
  chmod -w x
  rsync -a --remove-source-files a b
  cmake -E rm -rf build
  rimraf build
`);

describe('blocked, whatever is allowed', () => {
  it.each(BLOCKED)('%s', (line) => {
    expect(judge(line)).toMatchObject({ decision: 'block' });
    expect(judge(line, true)).toMatchObject({ decision: 'block' });
  });
});

describe('blocked unless allow_shell', () => {
  it.each(NEEDS_SHELL)('%s', (line) => {
    expect(judge(line)).toMatchObject({ decision: 'block' });
    expect(judge(line, true)).toMatchObject({ violations: [] });
  });
});

describe('allowed', () => {
  it.each(HARMLESS)('%s', (line) => {
    expect(judge(line)).toEqual({ decision: 'allow', warnings: [], violations: [] });
  });
});

describe('allowed with a warning', () => {
  it.each(WARNED)('%s', (line) => {
    expect(judge(line)).toMatchObject({ decision: 'warn', violations: [] });
  });
});

describe('the text of a shell that is allowed', () => {
  it.each([
    ['rm -rf /', 'block'],
    ['cd x; rm -rf /', 'block'],
    ['cd x && rm -rf /', 'block'],
    ['cd x || rm -rf /', 'block'],
    ['true | xargs rm', 'block'],
    ['true & rm -rf /', 'block'],
    ['true\nrm -rf /', 'block'],
    ['(rm -rf /)', 'block'],
    ['{ rm -rf /; }', 'block'],
    ['if true; then rm -rf /; fi', 'block'],
    ['for x in a b; do rm -rf /; done', 'block'],
    ['while true; do sudo x; done', 'block'],
    ['! rm -rf /', 'block'],
    ['echo $(rm -rf /)', 'block'],
    ['echo "$(rm -rf /)"', 'block'],
    ['echo `rm -rf /`', 'block'],
    ['echo "`rm -rf /`"', 'block'],
    ['cat <(rm -rf /)', 'block'],
    ['A=b rm -rf /', 'block'],
    ['"rm" -rf /', 'block'],
    ["r'm' -rf /", 'block'],
    ['r\\m -rf /', 'block'],
    ["$'\\x72m' -rf /", 'block'],
    ['rm -rf "/"', 'block'],
    ['rm -rf $HOME', 'block'],
    ['rm -rf "$DIR/"', 'block'],
    ['rm -rf $' + '{DIR}/x', 'block'],
    ['rm -rf ~', 'block'],
    ['rm -rf ~/x', 'block'],
    ['rm -rf *', 'block'],
    ['rm -rf ./*', 'block'],
    ['>x rm -rf /', 'block'],
    ['rm -rf / > x 2>&1', 'block'],
    ['bash -c "rm -rf /"', 'block'],
    ['bash -c "bash -c \\"rm -rf /\\""', 'block'],
    ['eval rm -rf /', 'block'],
    ['env -i bash -lc "nice rm -rf /"', 'block'],
    ['echo x; git reset --hard', 'block'],
    ['echo "rm -rf /"', 'allow'],
    ["echo 'sudo rm -rf /'", 'allow'],
    ['# rm -rf /', 'allow'],
    ['echo x # rm -rf /', 'allow'],
    ['echo x > rm', 'allow'],
    ['grep -q rm x && echo yes', 'allow'],
    ['make 2>&1 | tee log', 'allow'],
    ['for f in *.c; do gcc -c "$f"; done', 'allow'],
    ['echo "$(date)"', 'allow'],
    ['rm -rf build', 'warn'],
    ['cd /etc && rm x', 'block'],
    ['set -e; cd /; rm -rf x', 'block'],
    ['(cd ..; rm x)', 'block'],
    ['cd; rm x', 'block'],
    ['cd - && rm x', 'block'],
    ['cd ~/x && rm y', 'block'],
    ['cd -P "$DIR"\nrm -rf x', 'block'],
    ['pushd /etc; rm x', 'block'],
    ['cd /etc && bash -c "rm x"', 'block'],
    ['cd /etc && find . -name x -delete', 'block'],
    ['eval "cd /etc; rm x"', 'block'],
    ['cd /etc && cd sub && rm -rf x', 'block'],
    ['cd /etc; cd sub; rm -rf x', 'block'],
    ['cd /etc && cd sub && cd .. && rm -rf x', 'block'],
    ['command cd / && rm -rf x', 'block'],
    ['command -p cd / && rm -rf x', 'block'],
    ['builtin cd /; rm -rf x', 'block'],
    ['cd sub && cd ../.. && rm -rf x', 'block'],
    ['cd a/../.. && rm -rf x', 'block'],
    ['cd sub; cd ..; rm -rf x', 'block'],
    ['(cd sub) && cd .. && rm -rf x', 'block'],
    ['cd sub || cd .. && rm -rf x', 'block'],
    ['! cd sub && cd .. && rm -rf x', 'block'],
    ['cd "$X" && cd .. && rm -rf x', 'block'],
    ['pushd sub && popd && cd .. && rm -rf x', 'block'],
    ['set -P && cd link && cd .. && rm -rf x', 'block'],
    ['cd build && make && cd .. && rm -rf build', 'warn'],
    ['cd a/b && cd ../.. && rm -rf a', 'warn'],
    ['command -v cd && rm x', 'warn'],
    ['trap "rm -rf /" EXIT', 'block'],
    ['alias ll="rm -rf /"', 'block'],
    ['rm -rf {/,x}', 'block'],
    ['rm -rf {a,~}', 'block'],
    ['cd sub && rm x', 'warn'],
    ['rm x; cd /etc; ls', 'warn'],
    ['rm {a,b}.o', 'warn'],
    ['cd /etc && ls', 'allow'],
    ['trap - EXIT', 'allow'],
    ['rm -f build/$NAME', 'warn'],
    ['cp "a b" c', 'warn'],
    ['$TOOL x', 'warn'],
    ['`which rm` x', 'warn'],
  ])('%s → %s', (text, decision) => {
    expect(
      judge(`bash -c {{${text.replaceAll('\n', '\n')}}}`.replace(/\{\{.*/s, 'TEXT'), true).decision,
    ).toBeDefined();
    const judged = judgeBlock({ allow_shell: true, commands: [{ program: 'bash', args: ['-c', text] }] });
    expect(judged, JSON.stringify(judged)).toMatchObject({ decision });
  });
});

it('names the command, the programs in between, and the rule', () => {
  const commands = [
    { program: 'true' },
    { program: '/usr/bin/env', args: ['nice', '/bin/bash', '-c', 'rm -rf /x'] },
  ];
  expect(judgeBlock({ commands }).violations).toEqual([
    'commands[1] env: env → nice → "bash" is a shell; if the stage needs one, set allow_shell: true (rule shell)',
    'commands[1] env: env → nice → bash → "rm" accepts only relative paths inside the working directory, got the absolute path "/x" (rule files)',
  ]);
});

it.each([
  [{ workdir: '', commands: [{ program: 'true' }] }, /working directory is empty/],
  [{ commands: [] }, /no commands/],
  [{ commands: [{ program: ' ' }] }, /names no program/],
  [{ commands: [{ program: 'true', cwd: '/etc' }] }, /cwd is the absolute path/],
  [{ commands: [{ program: 'true', cwd: 'a/../..' }] }, /leads to a parent directory/],
])('blocks %j', (block, reason) => {
  const judged = judgeBlock(block);
  expect(judged.decision).toBe('block');
  expect(judged.violations.join()).toMatch(reason);
});

describe('an organisation’s rules', () => {
  const extended = (given: unknown) => {
    const read = extendRules(given);
    if ('faults' in read) throw new Error(read.faults.join());
    return read.rules;
  };
  const decide = (given: unknown, program: string, ...args: string[]) =>
    judgeBlock({ commands: [{ program, args }] }, extended(given)).decision;

  it('add to the built-in ones', () => {
    const rules = [
      {
        id: 'no-prod',
        decision: 'block',
        program: ['kubectl', 'helm'],
        args: ['--context=prod*'],
        reason: 'ask first',
      },
      {
        id: 'no-publish',
        decision: 'warn',
        program: 'npm',
        subcommand: 'publish',
        reason: 'the pipeline publishes',
      },
    ];
    const given = { blocked: ['curl', 'terraform*'], shells: ['python*'], rules };
    expect(decide(given, 'kubectl', 'delete', '--context=prod-eu')).toBe('block');
    expect(decide(given, 'kubectl', 'delete', '--context=dev')).toBe('allow');
    expect(decide(given, 'timeout', '5', 'helm', '--context=prod')).toBe('block');
    expect(decide(given, 'npm', 'publish')).toBe('warn');
    expect(decide(given, 'npm', 'install', 'publish')).toBe('allow');
    expect(decide(given, '/opt/terraform-1.9', 'plan')).toBe('block');
    expect(decide(given, 'python3', 'x.py')).toBe('block');
    expect(decide(given, 'rm', '/x')).toBe('block');
  });

  it('start without the built-in ones if they say so', () => {
    expect(decide({ extends: 'none' }, 'rm', '-rf', '/x')).toBe('allow');
    expect(decide({ extends: 'none' }, 'bash', '-c', 'ls')).toBe('allow');
    expect(decide({ extends: 'none', blocked: ['rm'] }, 'bash', '-c', 'rm x')).toBe('block');
  });

  it.each([
    [[], /must be a map/],
    [{ allow: ['rm'] }, /unknown key "allow"/],
    [{ extends: 'all' }, /"extends" must be default or none/],
    [{ blocked: 'rm' }, /"blocked" must be a list/],
    [{ rules: {} }, /"rules" must be a list/],
    [
      { rules: [{ id: 'x', decision: 'allow', program: 'x', reason: 'y' }] },
      /rules\[0\]: "decision" must be block or warn/,
    ],
    [{ rules: [{ id: 'x', decision: 'block', program: 'x' }] }, /"reason" must be a text that says why/],
    [{ rules: [{ id: 'x', decision: 'block', program: 'x', reason: 'y', arg: [] }] }, /unknown key "arg"/],
  ])('are refused: %j', (given, fault) => {
    const read = extendRules(given);
    expect('faults' in read && read.faults.join()).toMatch(fault);
  });
});

describe('laws', () => {
  const WRAPS: ((argv: string[]) => string[])[] = [
    ...[
      'env',
      'nice',
      'nohup',
      'setsid',
      'command',
      'busybox',
      'stdbuf -oL',
      'timeout 5',
      'nice -n 3',
      'env -i A=b',
      'ionice -c 2',
      'xargs -0',
      'flock x',
      'time',
      'chroot x',
      'ssh host',
      'npm exec --',
    ].map((words) => (argv: string[]) => [...words.split(' '), ...argv]),
    (argv) => [`/usr/bin/${argv[0]!.split('/').at(-1)}`, ...argv.slice(1)],
    (argv) => ['bash', '-c', argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')],
    (argv) => ['sh', '-lc', `true && ${argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`],
    (argv) => ['find', '.', '-name', 'x', '-exec', ...argv, ';'],
  ];
  // `ssh` and similar programs let a shell parse the words again, so these lines contain no shell characters.
  const plain = BLOCKED.filter((line) => /^[\w\s./=-]+$/.test(line) && !line.startsWith('find'));

  it('wrapping keeps what is blocked blocked', () => {
    const wraps = fc.array(fc.constantFrom(...WRAPS), { minLength: 1, maxLength: 4 });
    const check = fc.property(fc.constantFrom(...plain), wraps, (line, chosen) => {
      const [program = '', ...args] = chosen.reduce((argv, wrap) => wrap(argv), toArgv(line));
      const judged = judgeBlock({ allow_shell: true, commands: [{ program, args }] });
      expect(judged.decision, JSON.stringify([program, ...args])).toBe('block');
    });
    fc.assert(check, { numRuns: 3000 });
  });

  it('never throws, and ends soon, whatever the words are', () => {
    const names = [...DEFAULT_RULES.shells, ...DEFAULT_RULES.blocked, ...DEFAULT_RULES.file_tools];
    const known = fc.constantFrom(
      ...names,
      'env',
      'xargs',
      'find',
      'python',
      'perl',
      'awk',
      'sed',
      'git',
      'tar',
      'ssh',
      'parallel',
    );
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('-c', '-exec', ';', '--', '-e', '-S', '{}', '$(', '`', '"', "'", '\\'),
      known,
    );
    const check = fc.property(
      fc.oneof(known, fc.string()),
      fc.array(word, { maxLength: 30 }),
      (program, args) => {
        expect(['allow', 'warn', 'block']).toContain(judgeBlock({ commands: [{ program, args }] }).decision);
      },
    );
    fc.assert(check, { numRuns: 3000 });
  });

  it.each([
    ['bash', ['-c', '$('.repeat(100_000)]],
    ['bash', ['-c', '`'.repeat(100_001)]],
    ['bash', ['-c', '("'.repeat(100_000)]],
    ['bash', ['-c', 'true;'.repeat(300_000)]],
    ['env', Array.from({ length: 50_000 }, () => 'env')],
    ['xargs', Array.from({ length: 20_000 }, () => '--x')],
    ['sed', [`s/${'a/'.repeat(50_000)}`]],
    ['awk', [`print ${'x '.repeat(100_000)}`]],
    ['strace', ['-Z', ...Array.from({ length: 5000 }, () => 'env')]],
  ])('ends for a bomb of %s', (program, args) => {
    expect(judgeBlock({ commands: [{ program, args }] }).decision).toBeDefined();
  });
});
