/** Results as objects in a NATS bucket. */
import { type ObjectStore, Objm } from '@nats-io/obj';
import type { JsonObject, Outcome } from '@woof/net';
import { fault, textField } from '../fields.ts';
import { type NatsAddress, placeOf, toAddress } from '../nats/nats-address.ts';
import { natsFailure } from '../nats/nats-failure.ts';
import { NatsPool } from '../nats/nats-pool.ts';
import { Absent, type FarStore } from './far-store.ts';

export class NatsFarStore implements FarStore {
  readonly name: string;
  private readonly pool = new NatsPool();
  private readonly address: NatsAddress;
  private readonly bucket: string;

  constructor(fields: JsonObject) {
    this.address = toAddress(fields);
    this.bucket = textField(fields, 'bucket') ?? '';
    if (!/^[\w-]+$/.test(this.bucket)) throw fault('bucket', 'letters, digits, "_" and "-"', this.bucket);
    this.name = `nats_object:${placeOf(this.address)}/${this.bucket}`;
  }

  async write(key: string, _size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    const objects = await this.objects(true);
    await objects!.put({ name: key }, ReadableStream.from(bytes()) as ReadableStream<Uint8Array>);
  }

  async *read(key: string): AsyncIterable<Uint8Array> {
    const found = await (await this.objects(false))?.get(key);
    if (!found) throw new Absent(`${this.name} has no ${key}`);
    yield* found.data as unknown as AsyncIterable<Uint8Array>;
    const fault = await found.error;
    if (fault) throw fault;
  }

  failure(error: unknown): Outcome {
    return natsFailure(error, this.address, `bucket ${this.bucket}`);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** Undefined: nothing was ever stored there. */
  private async objects(make: boolean): Promise<ObjectStore | undefined> {
    const manager = new Objm(await this.pool.connection(this.address));
    if (make) return manager.create(this.bucket);
    return manager.open(this.bucket).catch((error: Error) => {
      if (/StreamNotFound|not found/.test(`${error.name} ${error.message}`)) return undefined;
      throw error;
    });
  }
}
