import type { Config } from '#config';
import { type OpenTracing, openTracing } from '#tracing';

/** Null where no collector is named. Opened before anything that makes spans, closed after it. */
export async function openTraces(config: Config, say: (line: string) => void): Promise<OpenTracing | null> {
  if (config.tracing === null) return null;
  const facts = { 'service.namespace': 'traceability', 'service.role': config.role, 'process.pid': process.pid };
  return openTracing(config.tracing, facts, say);
}
