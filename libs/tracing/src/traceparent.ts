/** Of W3C Trace Context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether whoever began the trace records it. */
  readonly sampled: boolean;
}

/** Version 00 has four fields; a later one may have more behind them, and `ff` is none. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Null for what is none; whoever sends one that cannot be read has none (W3C Trace Context §4.3). */
export function readTraceparent(text: unknown): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = (typeof text === 'string' && FORM.exec(text)) || [];
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
