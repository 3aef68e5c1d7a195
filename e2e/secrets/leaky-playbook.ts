/** A playbook whose tasks leak everything that they know, in every possible way. */
import { playbook } from '../cli/woof.ts';
import { CONTROL } from './canaries.ts';

/** A command of the shell task, which holds it until somebody ends the process. */
export const HELD = 'sleep 71234';

const GO_ON = `spec:
  policy:
    rules:
      - else:
          then: {do: continue}`;

const indent = (text: string, by: number) => text.replaceAll(/^(?=.)/gm, ' '.repeat(by));

export function leakyPlaybook(
  service: string,
  last = 'raise ValueError(f"it failed with {token} and {words}")',
): string {
  const keychain = `workload: {control: ${CONTROL}}
keychain:
  - {name: api, kind: bearer}
  - {name: pair, kind: basic}
  - {name: env, kind: environment, variable: CANARY_ENVIRONMENT}
  - {name: lines, kind: file, path: lines.txt}
  - {name: client, kind: secret_manager}
  - {name: oauth, kind: oauth2, token_url: "${service}/token", client_id: me, client_secret: "{{ keychain.client.value }}"}
`;
  return playbook(
    `- step: start
  loop: {in: [1, 2], iterator: item}
  tool:
    - bearer: {kind: http, url: "${service}/echo", auth: api}
    - basic: {kind: http, url: "${service}/echo", auth: pair}
    - query:
        kind: http
        method: POST
        url: "${service}/echo?in=url&password={{ keychain.pair.password | urlencode }}"
        params: {token: "{{ keychain.api.token }}", env: "{{ keychain.env.value }}"}
        headers: {x-secret: "{{ keychain.api.token }}"}
        payload: {file: "{{ keychain.lines.value }}", nested: "{{ [{keychain.env.value: 1}] }}"}
    - large: {kind: http, url: "${service}/large", auth: api}
    - broken:
        kind: http
        url: "${service}/fail"
        auth: api
${indent(GO_ON, 8)}
    - renewed: {kind: http, url: "${service}/guarded", auth: oauth}
    - python:
        kind: python
        args:
          token: "{{ keychain.api.token }}"
          words: "{{ keychain.pair.password }}"
          lines: "{{ keychain.lines.value }}"
        code: |
          import base64, json, sys, urllib.parse
          print("plain", token, words, lines)
          print(json.dumps({"t": token, "w": words}), urllib.parse.quote(words), urllib.parse.quote_plus(token))
          for letter in token:
              sys.stdout.write(letter)
              sys.stdout.flush()
          sys.stderr.write(base64.b64encode(f"user:{words}".encode()).decode() + token.encode().hex())
          result = {"token": token, token: words, "base64": base64.b64encode(words.encode()).decode(), "big": [token] * 9000}
    - shell:
        kind: shell
        env: {TOKEN: "{{ keychain.api.token }}", WORDS: "{{ keychain.pair.password }}"}
        cmds:
          - echo "$TOKEN"; echo "$WORDS" >&2
          - ${HELD} || true
          - ": {{ keychain.env.value }}; false"
        spec:
          io_policy: {allow_shell: true}
          policy: {rules: [{else: {then: {do: continue}}}]}
    - template:
        kind: noop
        result: "{{ keychain.pair.password | int / 0 }}"
${indent(GO_ON, 8)}
    - named: {kind: workbook, name: block, args: {secret: "{{ keychain.api.token }}"}}
    - noop: {kind: noop, result: {all: "{{ keychain }}", prev: "{{ _prev }}"}}
  next:
    arcs:
      - step: bad
        args: {brought: "{{ start.results }}"}
- step: bad
  tool:
    kind: python
    args: {token: "{{ keychain.api.token }}", words: "{{ keychain.pair.password }}"}
    code: |
      ${last}
`,
    `${keychain}workbook:
  block: {kind: noop, result: "{{ args.secret }}"}
`,
  );
}
