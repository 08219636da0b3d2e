import type { Config } from '#config';
import { type OpenTracing, openTracing } from '#tracing';

/** Null when no collector is configured. Opened before anything that makes spans, closed after it. */
export async function openSpans(config: Config, say: (line: string) => void): Promise<OpenTracing | null> {
  if (config.tracing === null) return null;
  const facts = { 'service.namespace': 'traceability', 'service.role': config.role, 'process.pid': process.pid };
  return openTracing(config.tracing, facts, say);
}
