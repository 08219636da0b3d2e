import { type Facts, type Span, type SpanOptions, type Tracer, useTracer } from './spans.js';

export interface TracingSettings {
  /** Base URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Share of the traces that start here and are recorded, 0 to 1. */
  readonly ratio: number;
  /** Whether the caller's `traceparent` decides if its trace is recorded. */
  readonly believesCallers: boolean;
}

export interface OpenTracing {
  /** Sends the remaining spans, as many as the collector accepts within `FLUSH_MS`. */
  close(): Promise<void>;
}

const FLUSH_MS = 3_000;
const EXPORT_MS = 10_000;
/** Maximum number of spans that wait for the collector, about 2 KB each; further spans are dropped. */
const QUEUE = 8_192;

/**
 * Turns tracing on for this process. The SDK is loaded only here: without tracing it costs nothing.
 * @param facts attributes of the process in addition to the service's name
 * @param log called once when the collector is unavailable, and once when it is available again
 */
export async function openTracing(settings: TracingSettings, facts: Facts, log: (line: string) => void): Promise<OpenTracing> {
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: EXPORT_MS,
  });
  const share = new sdk.TraceIdRatioBasedSampler(settings.ratio);
  const provider = new sdk.NodeTracerProvider({
    resource: resource({ 'service.name': settings.serviceName, ...facts }) as never,
    sampler: settings.believesCallers ? new sdk.ParentBasedSampler({ root: share }) : share,
    spanProcessors: [new sdk.BatchSpanProcessor(withOutageLog(exporter, log), { maxQueueSize: QUEUE, scheduledDelayMillis: 1_000 })],
  });
  const tracer = tracerOf(api, provider.getTracer('traceability'));
  useTracer(tracer);
  return {
    close: async () => {
      useTracer(null);
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), timeout]);
      clearTimeout(timer);
    },
  };
}

type Api = typeof import('@opentelemetry/api');
type OtelTracer = import('@opentelemetry/api').Tracer;
type OtelSpan = import('@opentelemetry/api').Span;
type Exporter = import('@opentelemetry/sdk-trace-node').SpanExporter;

function tracerOf(api: Api, tracer: OtelTracer): Tracer {
  const { ROOT_CONTEXT, SpanKind, TraceFlags, trace } = api;
  const kinds = {
    internal: SpanKind.INTERNAL,
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
  };
  const remote = (traceparent: string | null) => {
    const parent = readTraceparent(traceparent);
    if (!parent) return ROOT_CONTEXT;
    const traceFlags = parent.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId: parent.traceId, spanId: parent.spanId, traceFlags, isRemote: true });
  };
  return {
    begin: (name: string, { kind = 'internal', facts, parent }: SpanOptions, here: Span | undefined): Span => {
      const outer = here instanceof RecordedSpan ? trace.setSpan(ROOT_CONTEXT, here.span) : ROOT_CONTEXT;
      const context = parent === undefined ? outer : remote(parent);
      return new RecordedSpan(tracer.startSpan(name, { kind: kinds[kind], ...(facts && { attributes: facts }) }, context), api);
    },
  };
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string | null;

  constructor(
    readonly span: OtelSpan,
    private readonly api: Api,
  ) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.traceparent = (traceFlags & api.TraceFlags.SAMPLED) === 0 ? null : `00-${traceId}-${spanId}-01`;
  }

  add(facts: Facts): void {
    this.span.setAttributes(facts);
  }

  link(traceparent: string): void {
    const other = readTraceparent(traceparent);
    if (other) this.span.addLink({ context: { traceId: other.traceId, spanId: other.spanId, traceFlags: this.api.TraceFlags.SAMPLED } });
  }

  fail(error: unknown): void {
    const { code, status, name } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown; readonly name?: unknown };
    this.span.setAttribute('error.type', typeof code === 'string' ? code : typeof name === 'string' ? name : '_OTHER');
    // A 4xx answer is not an error of the service.
    if (!(typeof status === 'number' && status < 500)) this.span.setStatus({ code: this.api.SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** The SDK's own constructor is in another package; a resource without detectors consists only of its attributes. */
function resource(attributes: Facts): object {
  return { attributes, merge: () => resource(attributes), getRawAttributes: () => Object.entries(attributes) };
}

/** The service does not depend on the collector: while it is unavailable, only spans are lost. */
function withOutageLog(exporter: Exporter, log: (line: string) => void): Exporter {
  let away = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !away)
          log(`The trace collector is unavailable; traces are lost until it answers: ${result.error?.message ?? 'no answer'}`);
        if (!failed && away) log('The trace collector is available again.');
        away = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** The header of W3C Trace Context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the caller records the trace. */
  readonly sampled: boolean;
}

/** Version 00 has four fields; a later version may have more, and `ff` is not a version. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Null for an invalid value, which counts as absent (W3C Trace Context §4.3). */
export function readTraceparent(text: unknown): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = (typeof text === 'string' && FORM.exec(text)) || [];
  if (!traceId || !spanId || (version === '00' && more !== undefined)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 };
}
