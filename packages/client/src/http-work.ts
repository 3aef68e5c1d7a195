/** The calls of a worker, over HTTP. */
import { type Plan, readPlan } from '@woof/net';
import {
  type BeatRequest,
  type CancelChildRequest,
  type ChildCall,
  type ClaimRequest,
  type EnterRequest,
  PROTOCOL_HEADERS,
  type ReportRequest,
  type SecretsRequest,
  type WireLogLine,
  type WorkApi,
} from '@woof/protocol';
import type { Client } from './client.ts';

const SAID = { headers: PROTOCOL_HEADERS };

export class HttpWork implements WorkApi {
  constructor(private readonly client: Client) {}

  claim(body: ClaimRequest, signal?: AbortSignal) {
    return this.client.call('work.claim', { ...SAID, body, signal });
  }

  report(body: ReportRequest) {
    return this.client.call('work.report', { ...SAID, body });
  }

  beat(body: BeatRequest) {
    return this.client.call('work.beat', { ...SAID, body });
  }

  async leave(body: { worker: string }): Promise<void> {
    await this.client.call('work.leave', { ...SAID, body });
  }

  async plan(hash: string): Promise<Plan> {
    return readPlan(await this.client.call('plans.get', { params: { hash } }));
  }

  child(body: ChildCall) {
    return this.client.call('work.child', { ...SAID, body });
  }

  async cancelChild(body: CancelChildRequest): Promise<void> {
    await this.client.call('work.cancelChild', { ...SAID, body });
  }

  enter(body: EnterRequest) {
    return this.client.call('work.enter', { ...SAID, body });
  }

  async exit(body: { key: string; holder: string }): Promise<void> {
    await this.client.call('work.exit', { ...SAID, body });
  }

  async log(body: { lines: WireLogLine[] }): Promise<void> {
    await this.client.call('work.log', { ...SAID, body });
  }

  secrets(body: SecretsRequest) {
    return this.client.call('work.secrets', { ...SAID, body });
  }
}
