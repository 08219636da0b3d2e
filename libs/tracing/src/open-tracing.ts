import { readTraceparent } from './traceparent.js';
import { type Facts, type Span, type SpanOptions, type Tracer, traceBy } from './tracing.js';

export interface TracingSettings {
  /** Of the collector; `/v1/traces` comes behind it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** Of the traces that begin here, 0 to 1. */
  readonly ratio: number;
  /** Whether a caller says for its own traces if they are recorded. */
  readonly believesCallers: boolean;
}

export interface OpenTracing {
  /** Sends what ended, as far as the collector takes it within `FLUSH_MS`. */
  close(): Promise<void>;
}

const FLUSH_MS = 3_000;
const EXPORT_MS = 10_000;
/** Spans that wait for the collector, some 2 KB each; what comes beyond them is dropped. */
const QUEUE = 8_192;

/**
 * Traces what happens in this process from now on. The SDK is loaded here and nowhere else: who traces nothing pays nothing for it.
 * @param facts of the process, beside the service's name
 * @param say told once when the collector takes nothing, and once when it does again
 */
export async function openTracing(settings: TracingSettings, facts: Facts, say: (line: string) => void): Promise<OpenTracing> {
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
    spanProcessors: [new sdk.BatchSpanProcessor(tellingOfOutages(exporter, say), { maxQueueSize: QUEUE, scheduledDelayMillis: 1_000 })],
  });
  const tracer = tracerOf(api, provider.getTracer('traceability'));
  traceBy(tracer);
  return {
    close: async () => {
      traceBy(null);
      const patience = new AbortController();
      const enough = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FLUSH_MS);
        patience.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      await Promise.race([provider.shutdown().catch(() => undefined), enough]);
      patience.abort();
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
    // A refusal is an answer like any other.
    if (!(typeof status === 'number' && status < 500)) this.span.setStatus({ code: this.api.SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

/** The SDK keeps its own maker of these in a package beneath it; a resource without a detector is no more than its attributes. */
function resource(attributes: Facts): object {
  return { attributes, merge: () => resource(attributes), getRawAttributes: () => Object.entries(attributes) };
}

/** The collector is no engine of the service: while it is away, spans are lost and nothing else. */
function tellingOfOutages(exporter: Exporter, say: (line: string) => void): Exporter {
  let away = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !away)
          say(`The collector of traces takes nothing; traces are lost until it does: ${result.error?.message ?? 'no answer'}`);
        if (!failed && away) say('The collector of traces takes them again.');
        away = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
