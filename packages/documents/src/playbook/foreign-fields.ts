/** Fields of other dialects that belong elsewhere or do not exist here, with what to write instead. */

const CHECK = 'check the outcome of its tool in `spec.policy.rules`';
const RUNTIME = 'remove it: Woof starts the container with docker or podman on the machine of the worker';
const ONE_START =
  'remove it: Woof starts the container once per attempt; to retry, write a rule in `spec.policy.rules`: {when: …, then: {do: retry, attempts: 3, delay: 1}}';
const TOKEN =
  'remove it: Woof posts a client credentials request, and requests a new token before it expires';
const OAUTH2 = {
  endpoint: 'write `token_url`',
  data: 'write `client_id`, `client_secret` and `scope` next to `kind`',
  ...Object.fromEntries('method headers auto_renew'.split(' ').map((key) => [key, TOKEN])),
};
const sql = (name: string) => ({
  with: `write \`params\`: a list for \`$1\`, a map for \`${name}\``,
  args: `write \`args\` on the step, and read them in the SQL as \`${name}\``,
});

type Advice = Readonly<Record<string, string>>;

const PLACES: readonly (readonly [what: RegExp, Advice])[] = [
  [
    /^a loop$/,
    {
      cursor:
        'read the rows with a task of an earlier step, such as `postgres`, and write `in: "{{ STEP.rows }}"`',
    },
  ],
  [/^loop\.spec$/, { frame: 'to process several items per iteration, write `in: "{{ … | batch(50) }}"`' }],
  [/^next\.spec$/, { on_no_match: 'remove it: if no arc fires, the path ends' }],
  [/^a task of kind postgres$/, sql(':name')],
  [
    /^a task of kind duckdb$/,
    {
      ...sql('$name'),
      auth: 'download the data with a task of kind `s3`, `http` or `postgres`, and name its result in `tables`',
    },
  ],
  [
    /^a task of kind shell$/,
    { args: 'write `args` on the step, and read them in the command as environment variables' },
  ],
  [
    /^a task of kind container$/,
    {
      ...Object.fromEntries('namespace service_account runtime'.split(' ').map((key) => [key, RUNTIME])),
      ...Object.fromEntries('backoff_limit restart_policy'.split(' ').map((key) => [key, ONE_START])),
    },
  ],
  [/^(a task of kind|a workbook task)/, { assert: CHECK }],
  [/^a keychain entry of kind oauth2/, OAUTH2],
];

export function insteadOfField(what: string, key: string): string | undefined {
  const place = PLACES.find(([words, advice]) => words.test(what) && Object.hasOwn(advice, key));
  return place?.[1][key];
}

/** Services that keep secrets, and kinds derived from them. */
const SECRET_SERVICES: ReadonlySet<string> = new Set(
  'credential credentials static gcp google google_id_token aws azure secretsmanager'.split(' '),
);

export const isSecretService = (kind: string): boolean => SECRET_SERVICES.has(kind);

/** What to write instead of a word that a setting does not have. */
export const insteadOfWord = (what: string, word: string): string | undefined =>
  what === 'backoff' && /^(fixed|constant)$/.test(word)
    ? 'write "none": the delay stays the same'
    : undefined;
