import { readFileSync } from 'node:fs';

/** A sample value chain: an ordered list of events and hand-overs; lots are named by their TLC. */
export interface Scenario {
  readonly map: string;
  readonly mapVersion: string;
  /** Company name by the short name that the scenario uses. */
  readonly actors: Readonly<Record<string, string>>;
  readonly steps: readonly (ScenarioEvent | ScenarioHandover)[];
}

export interface ScenarioEvent {
  readonly processType: string;
  readonly actor: string;
  readonly inputTlcs: readonly string[];
  readonly outputTlc?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The event is attached to this custody call. */
  readonly custody?: { readonly action: 'offer' | 'accept'; readonly to?: string };
}

export interface ScenarioHandover {
  readonly handover: { readonly from: string; readonly to: string; readonly tlcs: readonly string[] };
}

export const SCENARIOS = ['rice', 'wool', 'seafood', 'battery', 'textile'] as const;

export const readScenario = (name: string): Scenario =>
  JSON.parse(readFileSync(new URL(`./scenarios/${name}.scenario.json`, import.meta.url), 'utf8')) as Scenario;
