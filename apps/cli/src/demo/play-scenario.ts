import { setTimeout as pause } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { type Json, type Lot, type PreparedTx, Sender, TraceabilityClient } from '#client';
import type { DemoFile, DemoTenant } from './demo-file.js';
import type { EventStep, HandoverStep, Scenario } from './scenario.js';

/** A company at work: its own login, its own wallet; the key stays here. */
class Company {
  private constructor(
    readonly name: string,
    readonly address: string,
    readonly api: TraceabilityClient,
    private readonly sender: Sender,
  ) {}

  static async join(demo: DemoFile, tenant: DemoTenant, key: string, name: string): Promise<Company> {
    const { email, password, privateKey, address } = tenant.actors[key]!;
    const api = await TraceabilityClient.login(demo.baseUrl, email, password, tenant.slug);
    return new Company(name, address, api, new Sender(demo.rpcUrl, new Wallet(privateKey)));
  }

  /** Signs, sends, tracks and waits until the service has seen it landed. */
  async land(preparedTx: PreparedTx, type: string): Promise<void> {
    const { transactionHash } = await this.sender.sendAndWait(preparedTx);
    const { trackingId } = await this.api.tx.track(transactionHash, type);
    for (const deadline = Date.now() + 30_000; ; await pause(50)) {
      const { status, error } = await this.api.tx.get(trackingId);
      if (status === 'confirmed') return;
      if (status === 'failed' || Date.now() > deadline) throw new Error(`transaction ${transactionHash} is ${status}: ${String(error)}`);
    }
  }
}

export type StepOutcome = 'done' | 'there already';
export type OnStep = (progress: {
  readonly step: number;
  readonly of: number;
  readonly text: string;
  readonly outcome: StepOutcome;
  readonly ms: number;
}) => void;

/** Plays what is not there yet, in order. Playing again, or going on after an interruption, does nothing twice. */
export async function playScenario(demo: DemoFile, tenant: DemoTenant, scenario: Scenario, onStep: OnStep): Promise<void> {
  const companies = new Map<string, Company>();
  for (const [key, name] of Object.entries(scenario.actors)) companies.set(key, await Company.join(demo, tenant, key, name));
  for (const [index, step] of scenario.steps.entries()) {
    const started = performance.now();
    const { text, outcome } = 'handover' in step ? await handOver(companies, step) : await record(companies, step);
    onStep({ step: index + 1, of: scenario.steps.length, text, outcome, ms: Math.round(performance.now() - started) });
  }
}

async function record(companies: ReadonlyMap<string, Company>, step: EventStep): Promise<{ text: string; outcome: StepOutcome }> {
  const company = companies.get(step.actor)!;
  const text = `${company.name}: ${step.processType}${step.outputTlc ? ` → ${step.outputTlc}` : ` of ${step.inputTlcs.join(', ')}`}`;
  if (step.outputTlc && (await find(company.api, step.outputTlc))) return { text, outcome: 'there already' };
  const inputTokenIds = (await Promise.all(step.inputTlcs.map((tlc) => company.api.lots.byTlc(tlc)))).map((lot) => lot.tokenId);
  if (!step.outputTlc && (await recordedBefore(company.api, step, inputTokenIds[0]!))) return { text, outcome: 'there already' };
  const { processType, metadata, custody, outputTlc } = step;
  const { preparedTx } = custody
    ? await company.api.custody.prepare({
        action: custody.action,
        tokenIds: inputTokenIds,
        processType,
        metadata,
        ...(custody.to && { to: companies.get(custody.to)!.address }),
      })
    : await company.api.events.prepare({ processType, inputTokenIds, metadata, ...(outputTlc && { outputTlc }) });
  await company.land(preparedTx, custody ? 'custody' : 'event');
  return { text, outcome: 'done' };
}

async function handOver(
  companies: ReadonlyMap<string, Company>,
  { handover }: HandoverStep,
): Promise<{ text: string; outcome: StepOutcome }> {
  const [from, to] = [companies.get(handover.from)!, companies.get(handover.to)!];
  const text = `${from.name} hands ${handover.tlcs.join(', ')} to ${to.name}`;
  const lots = await Promise.all(handover.tlcs.map((tlc) => from.api.lots.byTlc(tlc)));
  if (lots.every((lot) => lot.custodian !== from.address)) return { text, outcome: 'there already' };
  const tokenIds = lots.map((lot) => lot.tokenId);
  if (lots.some((lot) => lot.pendingCustodian !== to.address)) {
    const offer = await from.api.custody.prepare({ action: 'offer', tokenIds, to: to.address });
    await from.land(offer.preparedTx, 'custody');
  }
  const acceptance = await to.api.custody.prepare({ action: 'accept', tokenIds });
  await to.land(acceptance.preparedTx, 'custody');
  return { text, outcome: 'done' };
}

async function find(api: TraceabilityClient, tlc: string): Promise<Lot | null> {
  return api.lots.byTlc(tlc).catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });
}

async function recordedBefore(api: TraceabilityClient, step: EventStep, tokenId: number): Promise<boolean> {
  const { data } = await api.events.list({ processType: step.processType, tokenId, limit: 100 });
  const eventTime = new Date(String(step.metadata.eventTime)).getTime();
  return data.some((event: Json) => new Date(String(event.eventTime)).getTime() === eventTime);
}
