import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TraceabilityClient } from '#client';
import { createLogger } from '#http';
import { readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { type CollectedSpan, SpanCollector } from '../harness/span-collector.js';
import { World } from '../harness/world.js';

const PREPARE = 'POST /api/v1/events/prepare';
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = (flags: string): string => `00-${CALLER.traceId}-${CALLER.spanId}-${flags}`;

describe('the traces of a running service', () => {
  let collector: SpanCollector;
  let world: World;
  let admin: TraceabilityClient;
  const lines: Readonly<Record<string, unknown>>[] = [];

  beforeAll(async () => {
    collector = await SpanCollector.start();
    const log = new Writable({ write: (chunk: Buffer, _, done) => (lines.push(JSON.parse(String(chunk)) as object as never), done()) });
    world = await World.start(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collectors-own',
        OTEL_SERVICE_NAME: 'trace-under-test',
      },
      createLogger({ level: 'info' }, log),
    );
    admin = await world.admin('rice');
    await admin.webhooks.create(world.sink.url('/traced'), ['event.recorded']);
    // One prepared event, signed, sent, tracked, indexed and delivered.
    await world.play('rice', 1);
    await world.sink.received('/traced', 1);
  });
  afterAll(async () => {
    await world.close();
    await collector.close();
  });

  /** The spans of the prepared event, which are one trace. */
  const journey = (): Promise<{ readonly prepare: CollectedSpan; readonly spans: readonly CollectedSpan[] }> =>
    eventually('the whole journey', () => {
      const [prepare] = collector.named(PREPARE);
      const spans = prepare ? collector.inTrace(prepare.traceId) : [];
      return spans.some(({ name }) => name === 'deliver event.recorded') && prepare && { prepare, spans };
    });

  it('join the spans of request, chain and receiver in one trace', async () => {
    const { prepare, spans } = await journey();
    expect([prepare.parentSpanId, collector.kindOf(prepare)]).toEqual([undefined, 'server']);
    const delivered = spans.find(({ name }) => name === 'POST')!;
    expect(collector.path(delivered)).toEqual([
      PREPARE,
      'prepare event',
      'transaction',
      'publish event.recorded',
      'deliver event.recorded',
      'POST',
    ]);
    expect(delivered.facts).toEqual({ 'http.request.method': 'POST', 'server.address': '127.0.0.1', 'http.response.status_code': 200 });
    expect(spans.find(({ name }) => name === 'deliver event.recorded')!.facts).toMatchObject({
      'traceability.delivery.outcome': 'success',
      'traceability.delivery.attempt': 1,
    });
  });

  it('have the calls of each engine under the span that made them', async () => {
    const { spans } = await journey();
    const paths = spans.map((span) => collector.path(span).join(' > '));
    expect(paths).toContain(`${PREPARE} > prepare event > examine events > transaction > select traceability.process_map`);
    expect(paths).toContain(`${PREPARE} > prepare event > content put`);
    expect(paths).toContain(`${PREPARE} > prepare event > transaction > insert traceability.event`);
    expect(paths).toContain(`${PREPARE} > prepare event > transaction > commit`);
    expect(paths.some((path) => path.startsWith(`${PREPARE} > prepare event > rpc `))).toBe(true);
  });

  it('link a published event to the span of its block and to the request that tracked it', async () => {
    const { spans } = await journey();
    const published = spans.find(({ name }) => name === 'publish event.recorded')!;
    const linked = await eventually('the linked spans', () => {
      const found = (published.links ?? []).flatMap(({ traceId, spanId }) =>
        collector.spans.filter((span) => span.traceId === traceId && span.spanId === spanId),
      );
      return found.length === published.links?.length && found;
    });
    const roots = linked.map((span) => collector.path(span)[0]);
    expect(roots.some((name) => name === 'project block' || name === 'project range')).toBe(true);
    for (const span of linked) expect(span.traceId).not.toBe(published.traceId);
  });

  it('name tenant and request by attributes of this service, and the process by its service name', async () => {
    const { prepare } = await journey();
    const tenant = prepare.facts['traceability.tenant.id'];
    expect(prepare.facts).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/events/prepare',
      'http.response.status_code': 200,
      'traceability.request.id': expect.any(String),
      'traceability.tenant.id': expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(prepare.process).toMatchObject({ 'service.name': 'trace-under-test', 'service.role': 'all' });
    expect(collector.headers).toContain('Bearer collectors-own');
    const { prepare: again } = await journey();
    expect(again.facts['traceability.tenant.id']).toBe(tenant);
    const line = lines.find(({ requestId }) => requestId === prepare.facts['traceability.request.id'])!;
    expect(line).toMatchObject({ path: '/api/v1/events/prepare', traceId: prepare.traceId, tenant: 'rice' });
  });

  it('contain nothing that was sent, requested or stored', async () => {
    await journey();
    const [{ metadata, outputTlc }] = readScenario('rice').steps as unknown as [{ metadata: { eventTime: string }; outputTlc: string }];
    const { admin: login, actors } = world.tenant('rice');
    const secrets = [login.password, ...Object.values(actors).flatMap(({ password, privateKey }) => [password, privateKey.slice(2)])];
    for (const text of [outputTlc, metadata.eventTime, login.email, '/traced', 'Bearer', 'eyJ', 'whsec_', ...secrets])
      expect(collector.text).not.toContain(text);
  });

  it('use the trace id of a caller that samples, and have no span for one that does not', async () => {
    const ask = (flags: string, id: string): Promise<Response> =>
      fetch(`${world.baseUrl}/api/v1/nfts?limit=1`, { headers: { traceparent: traceparent(flags), 'x-request-id': id } });
    await ask('00', 'not-recorded');
    await ask('01', 'recorded');
    const [span] = await eventually('the span', () => {
      const found = collector.inTrace(CALLER.traceId).filter(({ kind }) => kind === 2);
      return found.length > 0 && found;
    });
    expect(span).toMatchObject({ parentSpanId: CALLER.spanId, name: 'GET /api/v1/nfts' });
    expect(span!.facts['http.response.status_code']).toBe(401);
    // A span of the request before would have arrived earlier.
    expect(
      collector
        .inTrace(CALLER.traceId)
        .map(({ facts }) => facts['traceability.request.id'])
        .filter(Boolean),
    ).toEqual(['recorded']);
    await eventuallyHolds(() => {
      const traced = lines.filter(({ requestId }) => requestId === 'recorded' || requestId === 'not-recorded');
      expect(traced.map(({ traceId }) => traceId)).toEqual([CALLER.traceId, CALLER.traceId]);
    });
  });

  it('are new when the traceparent of the caller is invalid, and do not contain its text', async () => {
    for (const text of ['hunter2', `00-${'0'.repeat(32)}-${CALLER.spanId}-01`, traceparent('01').repeat(40)])
      await fetch(`${world.baseUrl}/portal/nothing?${text}`, { headers: { traceparent: text, 'x-request-id': 'a-forged-parent' } });
    const forged = await eventually('three spans', () => {
      const found = collector.spans.filter(({ facts }) => facts['traceability.request.id'] === 'a-forged-parent');
      return found.length === 3 && found;
    });
    expect(new Set(forged.map(({ traceId }) => traceId)).size).toBe(3);
    for (const { parentSpanId, traceId } of forged) expect([parentSpanId, traceId === CALLER.traceId]).toEqual([undefined, false]);
    expect(collector.text).not.toContain('hunter2');
  });

  it('are lost while the collector is unavailable; everything else works', async () => {
    collector.fault = 503;
    const { refused } = collector;
    expect((await admin.lots.list({ limit: 1 })).data).toHaveLength(1);
    await eventually('a refused export', () => collector.refused > refused);
    await eventually('a line about it', () => lines.some(({ msg }) => String(msg).startsWith('The trace collector is unavailable')));
    collector.fault = 'hang';
    const { refused: until } = collector;
    await eventually('an export without an answer', async () => {
      expect((await admin.lots.list({ limit: 1 })).data).toHaveLength(1);
      return collector.refused > until;
    });
    collector.fault = null;
    await admin.events.list({ limit: 1 });
    await eventually('traces again', async () => {
      await admin.events.list({ limit: 1 });
      return collector.named('GET /api/v1/events').length > 0;
    });
  });
});
