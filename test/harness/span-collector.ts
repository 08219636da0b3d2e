import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
  readonly doubleValue?: number;
}
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

export interface CollectedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly process: Readonly<Record<string, unknown>>;
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

/** An OpenTelemetry collector on loopback: it receives spans by OTLP over HTTP in JSON. */
export class SpanCollector {
  readonly spans: CollectedSpan[] = [];
  readonly headers: (string | undefined)[] = [];
  /** All request bodies, as they were received. */
  text = '';
  refused = 0;
  /** Answered instead of 200; `hang`: never. */
  fault: number | 'hang' | null = null;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.headers.push(request.headers.authorization);
        if (this.fault !== null) {
          this.refused++;
          if (this.fault !== 'hang') response.writeHead(this.fault).end();
          return;
        }
        if (request.url === '/v1/traces') this.take(Buffer.concat(chunks).toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<SpanCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SpanCollector(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  named(name: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  inTrace(traceId: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** The names of the spans from the root span to this one. */
  path(span: CollectedSpan): string[] {
    const parent = this.spans.find(({ traceId, spanId }) => traceId === span.traceId && spanId === span.parentSpanId);
    return [...(parent ? this.path(parent) : []), span.name];
  }

  kindOf = ({ kind }: CollectedSpan): string => KINDS[kind]!;

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(body: string): void {
    this.text += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpRequest).resourceSpans)
      for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, facts: factsOf(attributes), process: factsOf(resource.attributes) });
  }
}

const factsOf = (attributes: OtlpSpan['attributes']): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue)]),
  );
