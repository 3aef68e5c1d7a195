/** What the cells of a notebook displayed elsewhere, written beside the notebook here, as if it had run here. */
import type { Client, Reach } from '@woof/client';
import { type CellTask, decodeJson, type Event, isReference, type Json, type Plan } from '@woof/net';
import { filesOf, Sidecar, type SidecarLine } from '@woof/worker';

export class SidecarWriter {
  private readonly types: Map<string, string>;
  private readonly sidecar: Sidecar;
  private writing = Promise.resolve();

  constructor(
    private readonly server: { client: Client; reach: Reach },
    file: string,
    plan: Plan,
  ) {
    const cells = plan.steps.flatMap((step) => step.tasks.map((task) => task.input as unknown as CellTask));
    this.types = new Map(cells.map((cell) => [cell.id, cell.type]));
    this.sidecar = new Sidecar(file, new Set(this.types.keys()));
  }

  /** In the order of the log. */
  see(event: Event): void {
    const outputs = event.name === 'task.done' ? event.data.outcome.outputs : undefined;
    if (outputs === undefined) return;
    this.writing = this.writing.then(() => this.write(outputs));
    // `end` reports what failed.
    this.writing.catch(() => {});
  }

  async end(): Promise<void> {
    await this.writing;
    this.sidecar.end();
  }

  private async write(outputs: Json): Promise<void> {
    const line = (await this.load(outputs)) as unknown as SidecarLine;
    const type = this.types.get(line.cell);
    if (type !== undefined) this.sidecar.write(line, filesOf(type));
  }

  private async load(value: Json): Promise<Json> {
    if (!isReference(value)) return value;
    const { client, reach } = this.server;
    const params = { sha256: value.key };
    return reach.insist(async () => decodeJson(await (await client.send('blobs.get', { params })).text()));
  }
}
