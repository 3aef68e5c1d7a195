/** What can be wrong with a workbook, or with a folder that shall become one. */
import { error, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

const quoted = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);

export const workbookProblems = {
  notHtml: (at: Span) =>
    error('workbook/not-html', at, 'this is no HTML: it has no element', 'name a page that woof build made'),
  tooLarge: (at: Span, what: string) => error('workbook/too-large', at, what, 'a workbook is one page'),
  invalidHtml: (at: Span, rule: string) =>
    error(
      'workbook/invalid-html',
      at,
      `no valid HTML: ${rule.replaceAll('-', ' ')}`,
      'see the rule by its name in the HTML standard',
    ),
  misplacedTag: (at: Span, what: string) =>
    error(
      'workbook/misplaced-tag',
      at,
      `no valid HTML: ${what}`,
      'nest and close elements as the HTML standard says',
    ),
  external: (at: Span, what: string, url: string) =>
    error(
      'workbook/external-reference',
      at,
      `${what} loads ${quoted(url)}`,
      'inline it: woof build FOLDER does',
    ),
  duplicateTag: (at: Span, what: string) =>
    error('workbook/duplicate-tag', at, `${what} is there twice`, 'hosts read the first; keep one'),
  repeatedId: (at: Span, id: string) =>
    warning('workbook/repeated-id', at, `the id ${quoted(id)} is used before`, 'an id names one element'),
  noPermissions: (at: Span) =>
    warning(
      'workbook/no-permissions',
      at,
      'it does not say which permissions it needs, which means none',
      'add <meta name="wb-permissions" content="none">',
    ),
  unknownPermission: (at: Span, word: string) =>
    error(
      'workbook/unknown-permission',
      at,
      `no permission is called ${quoted(word)}`,
      'there are: none, net, storage, clipboard, env',
    ),
  contradiction: (at: Span) =>
    error('workbook/contradictory-permissions', at, 'it asks for none and for something else', 'drop none'),
  undeclared: (at: Span, permission: string, what: string) =>
    error(
      'workbook/undeclared-permission',
      at,
      `${what} needs the permission ${permission}, which is not declared`,
      `add it: <meta name="wb-permissions" content="${permission}">`,
    ),
  unused: (at: Span, permission: string) =>
    warning(
      'workbook/unused-permission',
      at,
      `nothing here uses the permission ${permission}`,
      'ask for no more than is needed',
    ),
  noBundle: (at: Span) =>
    warning('workbook/no-bundle', at, 'it does not hold its sources', 'woof build puts them in'),
  bundleVersion: (at: Span, got: string) =>
    error(
      'workbook/bundle-version',
      at,
      `the source bundle has version ${quoted(got)}; this woof reads 1`,
      'use the tool that made it',
    ),
  bundleFormat: (at: Span, got: string) =>
    error(
      'workbook/bundle-format',
      at,
      `the source bundle has the format ${quoted(got)}, not json+gzip+base64`,
      'use the tool that made it',
    ),
  bundleDamaged: (at: Span, why: string) =>
    error(
      'workbook/bundle-damaged',
      at,
      `the source bundle is damaged: ${why}`,
      'get the file again, or build it anew',
    ),
  bundleTooLarge: (at: Span) =>
    error(
      'workbook/bundle-too-large',
      at,
      'the source bundle holds more than 50 MiB or 20000 files',
      'it was not made by a builder that keeps the limits',
    ),
  bundlePath: (at: Span, path: string, why: string) =>
    error(
      'workbook/bundle-path',
      at,
      `the source bundle has the path ${quoted(path)}: ${why}`,
      'such a bundle is not unpacked at all',
    ),
  bundleAttributes: (at: Span, why: string) =>
    error('workbook/bundle-attributes', at, `the tag of the source bundle is wrong: ${why}`, 'build it anew'),
  bundleType: (at: Span, type: string | undefined) =>
    error(
      'workbook/bundle-type',
      at,
      `the tag of the source bundle has ${type === undefined ? 'no type, so browsers run it as a script' : `the type ${quoted(type)}`}`,
      'set type="application/x-workbook-source"',
    ),
  bundleId: (at: Span) =>
    warning(
      'workbook/bundle-id',
      at,
      'the tag of the source bundle lacks its id, by which other tools find it',
      'set id="wb-source-bundle"',
    ),
  bundleIncomplete: (at: Span, path: string) =>
    warning(
      'workbook/bundle-incomplete',
      at,
      `${quoted(path)} was too large for the source bundle`,
      'files over 5 MiB are only named',
    ),
  bundleSecret: (at: Span, path: string, what: string, excerpt?: string) =>
    warning(
      'workbook/bundle-secret',
      at,
      `${quoted(path)} in the source bundle looks like ${what}${excerpt ? `: ${excerpt}` : ''}`,
      'whoever has the page can read it',
    ),

  pageSecret: (at: Span, what: string, excerpt: string) =>
    warning(
      'workbook/page-secret',
      at,
      `the page holds ${what}: ${excerpt}`,
      'whoever has the page can read it, in comments too',
    ),

  noIndex: (at: Span, folder: string) =>
    error(
      'workbook/no-index',
      at,
      `${quoted(folder)} has no index.html`,
      'a folder becomes a workbook by its index.html',
    ),
  secret: (at: Span, path: string, what: string) =>
    error(
      'workbook/secret',
      at,
      `this looks like ${what}, and whoever gets the page could read it`,
      `move it out of the folder, or say --allow-secret ${path}`,
    ),
  remote: (at: Span, url: string) =>
    error(
      'workbook/remote-reference',
      at,
      `${quoted(url)} lies elsewhere`,
      'put a copy into the folder and name that',
    ),
  missing: (at: Span, url: string) =>
    error('workbook/missing-file', at, `there is no file ${quoted(url)}`, 'check the path'),
  outside: (at: Span, url: string) =>
    error(
      'workbook/outside-folder',
      at,
      `${quoted(url)} lies outside of the folder`,
      'put a copy into the folder',
    ),
  cannotInline: (at: Span, what: string, fix: string) => error('workbook/cannot-inline', at, what, fix),
  dynamic: (at: Span, what: string) =>
    error(
      'workbook/dynamic-reference',
      at,
      `${what} names what it loads only when it runs`,
      'give a literal path, or declare the permission net if it calls a service',
    ),
  leftOut: (at: Span, url: string) =>
    warning(
      'workbook/left-out',
      at,
      `${quoted(url)} is not part of the page`,
      'whoever gets the page does not have it',
    ),
  badScript: (at: Span, why: string) => error('workbook/bad-script', at, why, 'correct the script'),
  badPath: (at: Span, path: string, why: string) =>
    error('workbook/bad-path', at, `${quoted(path)} cannot be in a source bundle: ${why}`, 'rename it'),
  sourcesTooLarge: (at: Span, why: string) =>
    error('workbook/sources-too-large', at, why, 'remove what is no source, or move it out of the folder'),
};
