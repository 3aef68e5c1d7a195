/** What can be wrong with a workbook, or with a folder that is to become one. */
import { didYouMean } from '@woof/expr/nearest';
import { error, oneOf, warning } from '../problem.ts';
import type { Span } from '../yaml/source.ts';

const quoted = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
const BUILD_AGAIN = 'build the page again';

export const workbookProblems = {
  notHtml: (at: Span) =>
    error(
      'workbook/not-html',
      at,
      'this file is not HTML: it has no element',
      'pass a page that `woof build` made',
    ),
  tooLarge: (at: Span, what: string) =>
    error('workbook/too-large', at, what, 'keep large data out of the page'),
  invalidHtml: (at: Span, rule: string) =>
    error(
      'workbook/invalid-html',
      at,
      `invalid HTML: ${rule.replaceAll('-', ' ')}`,
      `see "${rule}" under "parse errors" in the HTML standard`,
    ),
  misplacedTag: (at: Span, what: string) =>
    error(
      'workbook/misplaced-tag',
      at,
      `invalid HTML: ${what}`,
      'nest and close elements as the HTML standard says',
    ),
  external: (at: Span, what: string, url: string) =>
    error(
      'workbook/external-reference',
      at,
      `${what} loads ${quoted(url)}, which is not in the page`,
      'inline it; `woof build FOLDER` does this',
    ),
  duplicateTag: (at: Span, what: string) =>
    error(
      'workbook/duplicate-tag',
      at,
      `the page has ${what} twice, and hosts read only the first`,
      'keep one of the two',
    ),
  repeatedId: (at: Span, id: string) =>
    warning(
      'workbook/repeated-id',
      at,
      `another element already has the id ${quoted(id)}`,
      'give each element its own id',
    ),
  noPermissions: (at: Span) =>
    warning(
      'workbook/no-permissions',
      at,
      'the page does not say which permissions it needs, so it gets none',
      'add <meta name="wb-permissions" content="none">',
    ),
  unknownPermission: (at: Span, word: string, known: readonly string[]) =>
    error(
      'workbook/unknown-permission',
      at,
      `no permission ${quoted(word)}`,
      didYouMean(word, known) ?? oneOf(known),
    ),
  contradiction: (at: Span) =>
    error(
      'workbook/contradictory-permissions',
      at,
      'the page asks for "none" and for another permission',
      'remove "none"',
    ),
  undeclared: (at: Span, permission: string, what: string) =>
    error(
      'workbook/undeclared-permission',
      at,
      `${what} needs the permission ${permission}, which the page does not declare`,
      `add it: <meta name="wb-permissions" content="${permission}">`,
    ),
  unused: (at: Span, permission: string) =>
    warning(
      'workbook/unused-permission',
      at,
      `nothing in the page uses the permission ${permission}`,
      'remove it',
    ),
  noBundle: (at: Span) =>
    warning('workbook/no-bundle', at, 'the page does not contain its sources', 'build it with `woof build`'),
  bundleVersion: (at: Span, got: string) =>
    error(
      'workbook/bundle-version',
      at,
      `the source bundle has version ${quoted(got)}, but Woof reads only version 1`,
      'use the tool that made it',
    ),
  bundleFormat: (at: Span, got: string) =>
    error(
      'workbook/bundle-format',
      at,
      `the source bundle has the format ${quoted(got)}, but Woof reads only "json+gzip+base64"`,
      'use the tool that made it',
    ),
  bundleDamaged: (at: Span, why: string) =>
    error(
      'workbook/bundle-damaged',
      at,
      `the source bundle is damaged: ${why}`,
      'get the file again, or build it again',
    ),
  bundleTooLarge: (at: Span) =>
    error(
      'workbook/bundle-too-large',
      at,
      'the source bundle contains more than 50 MiB or 20000 files',
      'do not trust the page: it ignores the limits of the format',
    ),
  bundlePath: (at: Span, path: string, why: string) =>
    error(
      'workbook/bundle-path',
      at,
      `the source bundle contains the path ${quoted(path)}: ${why}`,
      'do not trust the page: Woof unpacks nothing from this bundle',
    ),
  bundleAttributes: (at: Span, why: string) =>
    error(
      'workbook/bundle-attributes',
      at,
      `the tag of the source bundle does not match its content: ${why}`,
      BUILD_AGAIN,
    ),
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
      'the tag of the source bundle does not have the id by which other tools find it',
      'set id="wb-source-bundle"',
    ),
  bundleIncomplete: (at: Span, path: string) =>
    warning(
      'workbook/bundle-incomplete',
      at,
      `${quoted(path)} is too large for the source bundle, which names it without its content`,
      'send the file together with the page; files over 5 MiB are only named',
    ),
  bundleSecret: (at: Span, path: string, what: string, excerpt?: string) =>
    warning(
      'workbook/bundle-secret',
      at,
      `${quoted(path)} in the source bundle looks like ${what}${excerpt ? `: ${excerpt}` : ''}`,
      'build the page without it, and replace the secret: everyone who has the page can read it',
    ),

  pageSecret: (at: Span, what: string, excerpt: string) =>
    warning(
      'workbook/page-secret',
      at,
      `the page contains ${what}: ${excerpt}`,
      'remove it, and replace the secret: everyone who has the page can read it, in comments too',
    ),

  noIndex: (at: Span, folder: string) =>
    error('workbook/no-index', at, `${quoted(folder)} has no index.html`, 'pass a folder that has one'),
  secret: (at: Span, path: string, what: string) =>
    error(
      'workbook/secret',
      at,
      `this looks like ${what}, and everyone who gets the page could read it`,
      `move the file out of the folder, or add \`--allow-secret ${path}\` if everyone may read it`,
    ),
  remote: (at: Span, url: string) =>
    error(
      'workbook/remote-reference',
      at,
      `the page loads ${quoted(url)} from another address`,
      'put a copy into the folder, and refer to the copy',
    ),
  missing: (at: Span, url: string) =>
    error(
      'workbook/missing-file',
      at,
      `no file or package ${quoted(url)}`,
      'check the path, or install the package',
    ),
  outside: (at: Span, url: string) =>
    error(
      'workbook/outside-folder',
      at,
      `${quoted(url)} is outside the folder`,
      'put a copy into the folder, and refer to the copy',
    ),
  cannotInline: (at: Span, what: string, fix: string) => error('workbook/cannot-inline', at, what, fix),
  dynamic: (at: Span, what: string) =>
    error(
      'workbook/dynamic-reference',
      at,
      `${what} computes the address of what it loads while it runs`,
      'write a literal path, or declare the permission net if it calls a service',
    ),
  leftOut: (at: Span, url: string) =>
    warning(
      'workbook/left-out',
      at,
      `the page links to ${quoted(url)}, which is not part of it`,
      'send the file together with the page if its readers need it',
    ),
  badScript: (at: Span, why: string) => error('workbook/bad-script', at, why, 'correct the script'),
  badPath: (at: Span, path: string, why: string) =>
    error(
      'workbook/bad-path',
      at,
      `a source bundle cannot contain ${quoted(path)}: ${why}`,
      'rename the file',
    ),
  sourcesTooLarge: (at: Span, why: string) =>
    error(
      'workbook/sources-too-large',
      at,
      why,
      'remove files that are not sources, or move them out of the folder',
    ),
};
