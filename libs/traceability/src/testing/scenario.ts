import { readFileSync } from 'node:fs';
import { ProcessMap, type ProcessMapDocument, type PublishedProcess, processIn } from '../domain/process-map.js';
import { type EventContext, DEFAULT_RULES } from '../domain/event-context.js';
import { processMapTemplates } from '../templates/templates.js';

export interface ScenarioStep {
  readonly processType?: string;
  readonly actor?: string;
  readonly inputTlcs?: readonly string[];
  readonly outputTlc?: string;
  readonly metadata?: Record<string, unknown>;
  readonly custody?: { readonly action: 'offer' | 'accept'; readonly to?: string };
  readonly handover?: { readonly from: string; readonly to: string; readonly tlcs: readonly string[] };
}

export interface Scenario {
  readonly map: string;
  readonly actors: Readonly<Record<string, string>>;
  readonly steps: readonly ScenarioStep[];
}

export const published = (document: ProcessMapDocument): ProcessMap =>
  ProcessMap.published('00000000-0000-4000-8000-00000000000a', document, { cid: `cid-${document.key}`, at: new Date(0), id: 'test' });

export const templateMap = (key: string): ProcessMap => published(processMapTemplates.find((map) => map.key === key)!);

export const processOf = (map: ProcessMap, processType: string): PublishedProcess => processIn(map, processType)!;

/** Nothing known, nobody asked: a spec states what matters to it. */
export const contextOf = (context: Partial<EventContext>): EventContext => ({
  published: null,
  knownProcessTypes: [],
  lots: [],
  takenTlcs: new Set(),
  claims: new Set(),
  sender: { address: null, colleagues: new Set() },
  finalBlock: 100,
  now: new Date('2026-11-28T00:00:00Z'),
  generatedTlc: null,
  rules: DEFAULT_RULES,
  riding: false,
  ...context,
});

export const readScenario = (path: string | URL): Scenario => JSON.parse(readFileSync(path, 'utf8')) as Scenario;
