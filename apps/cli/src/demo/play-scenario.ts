import type { Json, Lot, TraceabilityClient } from '#client';
import { Company } from './company.js';
import type { DemoFile, DemoTenant } from './demo-file.js';
import type { ScenarioEvent, ScenarioHandover, Scenario } from './scenario.js';

export type Outcome = 'done' | 'done before';
export type OnProgress = (progress: {
  readonly number: number;
  readonly of: number;
  readonly text: string;
  readonly outcome: Outcome;
  readonly ms: number;
}) => void;

/** Plays the missing parts, in order. Playing again, or after an interruption, does nothing twice. */
export async function playScenario(demo: DemoFile, tenant: DemoTenant, scenario: Scenario, onProgress: OnProgress): Promise<void> {
  const companies = new Map<string, Company>();
  for (const [key, name] of Object.entries(scenario.actors)) companies.set(key, await Company.join(demo, tenant, key, name));
  for (const [index, entry] of scenario.steps.entries()) {
    const started = performance.now();
    const { text, outcome } = 'handover' in entry ? await handOver(companies, entry) : await record(companies, entry);
    onProgress({ number: index + 1, of: scenario.steps.length, text, outcome, ms: Math.round(performance.now() - started) });
  }
}

async function record(companies: ReadonlyMap<string, Company>, event: ScenarioEvent): Promise<{ text: string; outcome: Outcome }> {
  const company = companies.get(event.actor)!;
  const text = `${company.name}: ${event.processType}${event.outputTlc ? ` → ${event.outputTlc}` : ` of ${event.inputTlcs.join(', ')}`}`;
  if (event.outputTlc && (await find(company.api, event.outputTlc))) return { text, outcome: 'done before' };
  const inputTokenIds = (await Promise.all(event.inputTlcs.map((tlc) => company.api.lots.byTlc(tlc)))).map((lot) => lot.tokenId);
  if (!event.outputTlc && (await recordedBefore(company.api, event, inputTokenIds[0]!))) return { text, outcome: 'done before' };
  const { processType, metadata, custody, outputTlc } = event;
  const prepared = custody
    ? await company.api.custody.prepare({
        action: custody.action,
        tokenIds: inputTokenIds,
        processType,
        metadata,
        ...(custody.to && { to: companies.get(custody.to)!.address }),
      })
    : await company.api.events.prepare({ processType, inputTokenIds, metadata, ...(outputTlc && { outputTlc }) });
  await company.land(prepared, custody ? 'custody' : 'event');
  return { text, outcome: 'done' };
}

async function handOver(
  companies: ReadonlyMap<string, Company>,
  { handover }: ScenarioHandover,
): Promise<{ text: string; outcome: Outcome }> {
  const [from, to] = [companies.get(handover.from)!, companies.get(handover.to)!];
  const text = `${from.name} hands ${handover.tlcs.join(', ')} to ${to.name}`;
  const lots = await Promise.all(handover.tlcs.map((tlc) => from.api.lots.byTlc(tlc)));
  if (lots.every((lot) => lot.custodian !== from.address)) return { text, outcome: 'done before' };
  const tokenIds = lots.map((lot) => lot.tokenId);
  if (lots.some((lot) => lot.pendingCustodian !== to.address)) {
    const offer = await from.api.custody.prepare({ action: 'offer', tokenIds, to: to.address });
    await from.land(offer, 'custody');
  }
  const acceptance = await to.api.custody.prepare({ action: 'accept', tokenIds });
  await to.land(acceptance, 'custody');
  return { text, outcome: 'done' };
}

async function find(api: TraceabilityClient, tlc: string): Promise<Lot | null> {
  return api.lots.byTlc(tlc).catch((error: { status?: number }) => {
    if (error.status === 404) return null;
    throw error;
  });
}

async function recordedBefore(api: TraceabilityClient, event: ScenarioEvent, tokenId: number): Promise<boolean> {
  const { data } = await api.events.list({ processType: event.processType, tokenId, limit: 100 });
  const eventTime = new Date(String(event.metadata.eventTime)).getTime();
  return data.some((recorded: Json) => new Date(String(recorded.eventTime)).getTime() === eventTime);
}
