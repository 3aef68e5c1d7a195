import { drawDot, drawMermaid, drawTerminal, graphOf, graphOfNotebook } from '@woof/documents';
import { encodeJson } from '@woof/net';
import { readPlan, refuseErrors } from '../read-plan.ts';
import { wantsColor } from '../terminal.ts';
import { defineVerb } from '../verb.ts';

const WIDTH_OF_A_FILE = 100;

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    mermaid: { doc: 'print a Mermaid diagram' },
    dot: { doc: 'print a Graphviz (DOT) diagram' },
    json: { doc: 'print {"nodes", "edges", "order"}' },
  },
  examples: [
    ['woof graph orders.yaml', 'draw in the terminal'],
    ['woof graph orders.yaml --mermaid', 'print a diagram for a README'],
  ],
  async run([file = ''], flags) {
    const read = readPlan(file);
    refuseErrors(read, file);
    const graph = read.notebook ? graphOfNotebook(read.notebook) : graphOf(read.plan!);
    const { columns } = process.stdout;
    if (flags.json) console.log(encodeJson(graph));
    else if (flags.mermaid) process.stdout.write(drawMermaid(graph));
    else if (flags.dot) process.stdout.write(drawDot(graph));
    else {
      const options = { width: columns || WIDTH_OF_A_FILE, color: wantsColor(process.stdout) };
      process.stdout.write(drawTerminal(graph, options));
    }
    return 0;
  },
});
