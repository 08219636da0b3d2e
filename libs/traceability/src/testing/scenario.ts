import { readFileSync } from 'node:fs';
import { ProcessMap, type ProcessMapDocument, type PublishedProcess, processIn } from '../process-maps/process-map.js';
import { type ValidationContext, DEFAULT_RULES } from '../process-maps/event-reading.js';
import { processMapTemplate } from '../templates/templates.js';
import type { EventSubmission } from '../contract/preparation.js';
import { type CompiledSchema, mergedSchema, SchemaCompiler, type SchemaVerdict } from '../process-maps/schemas/schema-compiler.js';

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

export const templateMap = (key: string): ProcessMap => published(processMapTemplate(key));

export const processOf = (map: ProcessMap, processType: string): PublishedProcess => processIn(map, processType)!;

/** An empty context: a spec sets what matters to it. */
export const contextOf = (context: Partial<ValidationContext>): ValidationContext => ({
  published: null,
  knownProcessTypes: [],
  lots: [],
  takenKeys: new Set(),
  reservations: new Set(),
  sender: { address: null, colleagues: new Set() },
  finalBlock: 100,
  now: new Date('2026-11-28T00:00:00Z'),
  generated: null,
  rules: DEFAULT_RULES,
  attached: false,
  ...context,
});

const compiler = new SchemaCompiler();
const compiled = new Map<string, CompiledSchema>();

/** What the schema of its process says about a submission. */
export function verdictFor({ metadata }: EventSubmission, { published: process }: ValidationContext): SchemaVerdict | null {
  if (!process) return null;
  const key = `${process.map.cid} ${process.processType}`;
  if (!compiled.has(key)) compiled.set(key, compiler.of(mergedSchema(process.map.document, process.processType)));
  return compiled.get(key)!.verdict(metadata);
}

export const readScenario = (path: string | URL): Scenario => JSON.parse(readFileSync(path, 'utf8')) as Scenario;
