/** What `woof init` writes. Each document runs as it is, without a network and without packages. */

const PLAYBOOK = `# A playbook: steps that call tools, with templates between them. Run it: woof run hello.yaml --set greeting=Hi
apiVersion: noetl.io/v10
kind: Playbook
metadata:
  name: hello
  path: hello
workload:
  greeting: Hello
  names: [Ada, Grace, Edsger]
workflow:
  - step: start
    desc: One greeting for each name, all at once
    loop:
      in: "{{ workload.names }}"
      iterator: name
      spec: {mode: parallel}
    tool:
      kind: noop
      result: "{{ workload.greeting }}, {{ iter.name }}!"
    next:
      arcs:
        - step: letter

  - step: letter
    tool:
      kind: noop
      result:
        lines: "{{ start.results }}"
        count: "{{ start.results | length }}"
`;

const NOTEBOOK = `%WOOFNB 1.0
name: walks
language: python
parameters:
  goal: 20
execution:
  order: graph
  cache: content-hash

\`\`\`cell id=intro type=md
# A week of walks
Run it: \`woof run walks.woofnb\`. In a second run, every cell that did not change comes from the cache.
\`\`\`

\`\`\`cell id=walks type=data
[
  {"dog": "Rex", "km": 4.5},
  {"dog": "Luna", "km": 7.0},
  {"dog": "Rex", "km": 6.5},
  {"dog": "Bo", "km": 2.0}
]
\`\`\`

\`\`\`cell id=totals type=code deps=walks
totals = {}
for walk in walks:
    totals[walk["dog"]] = totals.get(walk["dog"], 0) + walk["km"]
totals
\`\`\`

\`\`\`cell id=week type=code deps=totals
print(f"{sum(totals.values())} of {parameters['goal']} km")
\`\`\`

\`\`\`cell id=check type=test deps=totals,walks
assert sum(totals.values()) == sum(walk["km"] for walk in walks)
\`\`\`
`;

const WORKFLOW = `# A stage workflow: commands without a shell, in the order of their deps. Run it: woof run checks.workflow.yaml
name: checks
stages:
  - stage_id: count
    commands:
      - program: wc
        args: [-l, hello.yaml, walks.woofnb]

  - stage_id: sums
    deps: [count]
    commands:
      - program: cksum
        args: [hello.yaml, walks.woofnb]
        timeout_sec: 30
`;

const AGENTS = `# For coding agents

This project runs on Woof. Documents: playbooks and stage workflows (\`*.yaml\`), notebooks (\`*.woofnb\`, plain text).
Every command takes \`--json\`; \`woof COMMAND --help\` lists options. If a command other than \`woof result\` ends with an
error, the last line of stdout is then \`{"error": {"message", "fix"}}\`. Exit codes: 0 success, 1 failure, 2 usage error
or invalid document, 3 waiting for approval.

| To | Run |
|---|---|
| check a document before you run it | \`woof lint FILE --json\` |
| format it | \`woof fmt FILE\` |
| run it | \`woof run FILE --json --set key=value\`; the last line of stdout is a JSON report of the run |
| run one cell of a notebook and what it depends on | \`woof run FILE.woofnb --cell ID --json\` |
| run the test cells of a notebook | \`woof test FILE.woofnb --json\` |
| find out why a run failed or is waiting | \`woof why last\`, then \`woof logs last --step STEP\` |
| see every step, or a result | \`woof show last --json\`, \`woof result last STEP\` |
| run again only what failed | \`woof rerun last\` |
| draw the steps | \`woof graph FILE\` |

Rules

- Lint after every edit. A diagnostic names the line and how to fix it.
- Code runs in a sandbox without files, network or other programs. Ask the person before you add \`--allow\` or \`io_policy\`.
- Never write secrets into documents. \`woof secret set NAME\` stores them, and documents refer to them in \`keychain\`.
- Do not approve (\`woof approve\`) on behalf of a person.
- \`.woof/\`, \`*.woofnb.out\` and \`artifacts/\` are generated. Do not edit or commit them.
`;

export const IGNORED = ['.woof/', '*.woofnb.out', 'artifacts/'];

export interface ProjectFile {
  name: string;
  text: string;
  /** What the user may type next. */
  next?: string;
}

export const PROJECT_FILES: readonly ProjectFile[] = [
  { name: 'hello.yaml', text: PLAYBOOK, next: 'woof run hello.yaml' },
  { name: 'walks.woofnb', text: NOTEBOOK, next: 'woof run walks.woofnb' },
  { name: 'checks.workflow.yaml', text: WORKFLOW, next: 'woof run checks.workflow.yaml' },
  { name: 'AGENTS.md', text: AGENTS },
  { name: '.gitignore', text: `${IGNORED.join('\n')}\n` },
];
