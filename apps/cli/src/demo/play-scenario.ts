import type { Json, Lot, TraceabilityClient } from '#client';
import { Company } from './company.js';
import type { DemoFile, DemoTenant } from './demo-file.js';
import type { EventStep, HandoverStep, Scenario } from './scenario.js';

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
