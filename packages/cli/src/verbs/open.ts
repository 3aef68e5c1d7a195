import { PERMISSIONS, permissionTraits } from '@woof/documents/workbook';
import { openWorkbook } from '@woof/server/workbooks';
import { untilStopped } from '../serve/until-stopped.ts';
import { UserError } from '../user-error.ts';
import { DATA, defineVerb } from '../verb.ts';
import { launchBrowser } from '../workbooks/launch-browser.ts';
import { openValues } from '../workbooks/open-values.ts';
import { readPageFile } from '../workbooks/read-page-file.ts';
import { shellScript } from '../workbooks/shell-script.ts';
import { listGrants, revokeGrant } from '../workbooks/show-grants.ts';
import { workbookHome } from '../workbooks/workbook-home.ts';

export const verb = defineVerb({
  args: ['[FILE]'],
  options: {
    env: {
      doc: 'value that the workbook can request; NAME alone uses the environment variable of that name; repeatable',
      value: 'NAME[=VALUE]',
      many: true,
    },
    secret: {
      doc: 'value that the workbook can request, from woof secret (default field: value); repeatable',
      value: 'NAME=SECRET[.FIELD]',
      many: true,
    },
    listen: {
      doc: 'loopback port (default: a free one, or the same port each time if the workbook uses storage)',
      value: 'PORT',
    },
    'no-browser': { doc: 'print the address without opening a browser' },
    list: { doc: 'list the permissions granted to workbooks' },
    revoke: {
      doc: 'revoke the permissions granted to a workbook: a file, or the beginning of a hash from --list',
      value: 'WHICH',
    },
    json: { doc: 'print JSON: {"url"}, or the output of --list or --revoke' },
    data: DATA,
  },
  about: `Woof serves the file on its own origin until you press Ctrl-C. The page has no ${whatIsGranted()} unless it requests them and you grant them. A grant applies only to exactly this content.`,
  examples: [
    ['woof open report.html', 'open the page in the browser'],
    ['woof open report.html --no-browser', 'only print the address'],
    ['woof open app.html --env API_URL=https://api.example.org', 'provide a value that the page can request'],
    ['woof open --list', 'list granted permissions'],
    ['woof open --revoke report.html', 'revoke, so that the page asks again next time'],
  ],
  async run([file], flags) {
    const home = workbookHome(flags.data);
    const json = flags.json === true;
    if (flags.list || flags.revoke !== undefined) {
      if (flags.revoke !== undefined) await revokeGrant(home.grants, flags.revoke, json);
      if (flags.list) await listGrants(home.grants, json);
      return 0;
    }
    if (file === undefined)
      throw new UserError('woof open needs FILE', 'usage: woof open FILE, woof open --list', 2);
    const port = portOf(flags.listen);
    const page = readPageFile(file);
    const env = await openValues(flags);
    if (page.workbook.permissions.length > 0) home.prepare();
    const keeper = 'on this computer';
    const script = shellScript();
    const opened = { page, env, keeper, grants: home.grants, kept: home.kept };
    const host = await openWorkbook({ opened, script, ...(port === undefined ? {} : { port }) }).catch(
      (error) => {
        throw explained(error, flags.listen);
      },
    );
    if (host.isElsewhere)
      console.error(
        'another program uses the usual port of this workbook, so the data that the browser stored for it is not available this time',
      );
    const tell = () => {
      if (json) console.log(JSON.stringify({ url: host.url }));
      else process.stdout.write(`${host.url}\n`);
      if (!json) console.error('press Ctrl-C to stop; keep the address to yourself');
      if (!flags['no-browser']) launchBrowser(host.url);
    };
    return untilStopped({ tell, stop: () => host.close() });
  },
});

function whatIsGranted(): string {
  const nouns = PERMISSIONS.map((permission) => permissionTraits(permission).noun);
  return `${nouns.slice(0, -1).join(', ')} or ${nouns.at(-1)}`;
}

/** A port, with or without the name of the loopback interface: to be reachable from other computers, use a server. */
function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number] = /^(?:(?:localhost|127\.0\.0\.1|\[::1\]):)?(\d{1,5})$/.exec(text) ?? [];
  if (number !== undefined && Number(number) <= 65_535) return Number(number);
  throw new UserError(
    `--listen ${text}: expected a port from 0 to 65535`,
    'woof open serves workbooks on this computer only; use woof server to serve them to others',
    2,
  );
}

function explained(error: unknown, listen: string | undefined): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UserError(`port ${listen} is in use`, 'leave --listen out to use a free port');
  if (code === 'EACCES') return new UserError(`cannot listen on port ${listen}`, 'choose a port above 1023');
  return error;
}
