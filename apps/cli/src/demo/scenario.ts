import { readFileSync } from 'node:fs';

/** A value chain as its companies live it: an ordered list of events and hand-overs, lots named by TLC. */
export interface Scenario {
  readonly map: string;
  readonly mapVersion: string;
  /** Company name by the short name that steps use. */
  readonly actors: Readonly<Record<string, string>>;
  readonly steps: readonly (EventStep | HandoverStep)[];
}

export interface EventStep {
  readonly processType: string;
  readonly actor: string;
  readonly inputTlcs: readonly string[];
  readonly outputTlc?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The event rides on this custody call. */
  readonly custody?: { readonly action: 'offer' | 'accept'; readonly to?: string };
}

export interface HandoverStep {
  readonly handover: { readonly from: string; readonly to: string; readonly tlcs: readonly string[] };
}

export const SCENARIOS = ['rice', 'wool'] as const;

export const readScenario = (name: string): Scenario =>
  JSON.parse(readFileSync(new URL(`./scenarios/${name}.scenario.json`, import.meta.url), 'utf8')) as Scenario;
