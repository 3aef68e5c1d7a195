/** What a worker asks, over HTTP. */
import type { ChildAnswer, Plan } from '@woof/net';
import type {
  BeatAnswer,
  BeatRequest,
  CancelChildRequest,
  ChildCall,
  ClaimAnswer,
  ClaimRequest,
  EnterRequest,
  ReportAnswer,
  ReportRequest,
  SecretsRequest,
  WireLogLine,
  WorkApi,
} from '@woof/protocol';
import type { BodyOf } from '@woof/protocol/http';
import type { Client } from './client.ts';

export class HttpWork implements WorkApi {
  constructor(private readonly client: Client) {}

  async claim(body: ClaimRequest, signal?: AbortSignal): Promise<ClaimAnswer> {
    return (await this.client.call('work.claim', { body, signal })) as unknown as ClaimAnswer;
  }

  report(body: ReportRequest): Promise<ReportAnswer> {
    return this.client.call('work.report', { body: body as unknown as BodyOf<'work.report'> });
  }

  async beat(body: BeatRequest): Promise<BeatAnswer> {
    return (await this.client.call('work.beat', { body })) as unknown as BeatAnswer;
  }

  async leave(body: { worker: string }): Promise<void> {
    await this.client.call('work.leave', { body });
  }

  async plan(hash: string): Promise<Plan> {
    return (await this.client.call('plans.get', { params: { hash } })) as unknown as Plan;
  }

  async child(body: ChildCall): Promise<ChildAnswer> {
    const answer = await this.client.call('work.child', { body: body as unknown as BodyOf<'work.child'> });
    return answer as unknown as ChildAnswer;
  }

  async cancelChild(body: CancelChildRequest): Promise<void> {
    await this.client.call('work.cancelChild', { body });
  }

  enter(body: EnterRequest): Promise<{ wait_ms: number }> {
    return this.client.call('work.enter', { body });
  }

  async exit(body: { key: string; holder: string }): Promise<void> {
    await this.client.call('work.exit', { body });
  }

  async log(body: { lines: WireLogLine[] }): Promise<void> {
    await this.client.call('work.log', { body });
  }

  secrets(body: SecretsRequest): Promise<{ secrets: Record<string, Record<string, string>> }> {
    return this.client.call('work.secrets', { body });
  }
}
