import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PreparedTx, TraceabilityClient } from '#client';
import { ZERO_BYTES32 } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { eventuallyHolds } from '../harness/eventually.js';
import { World } from '../harness/world.js';
import { administrator } from './rice-trade.js';

type Body = Record<string, any>;
type Prepared = { readonly eventId: string; readonly preparedTx: PreparedTx };
const harvest = readScenario('rice').steps[0] as ScenarioEvent;

/** A farm prepares, and a mill's wallet sends the same calldata: the record is the mill's. */
describe('a call that another company signed', () => {
  let world: World;
  let admin: TraceabilityClient;
  let farm: Company;
  let mill: Company;
  let eventId: string;

  beforeAll(async () => {
    world = await World.start({ ALERTS_EVERY_MS: '250' });
    admin = await world.admin('rice');
    [farm, mill] = await Promise.all([world.company('rice', 'farmA'), world.company('rice', 'mill')]);
    await admin.webhooks.create(world.sink.url('/signed'), ['event.recorded', 'nft.recalled']);
    const prepared = await prepare('RH-20260915-S1');
    ({ eventId } = prepared);
    await mill.sender.send(prepared.preparedTx);
    await landed(eventId);
  });
  afterAll(() => world?.close());

  const prepare = (outputTlc: string): Promise<Prepared> =>
    farm.api.post('/api/v1/events/prepare', { processType: harvest.processType, metadata: harvest.metadata, inputTokenIds: [], outputTlc });
  const once = <T>(assertion: () => Promise<T>): Promise<T> => eventuallyHolds(assertion, 45_000);
  const landed = (id: string, status = 'recorded'): Promise<Body> =>
    once(async () => {
      const event = await admin.get<Body>(`/api/v1/events/${id}`);
      expect(event['status']).toBe(status);
      return event;
    });
  const orgIdOf = async (address: string): Promise<string> => {
    const { data } = await admin.get<{ data: Body[] }>('/api/v1/organisations?limit=100');
    return data.find((one) => (one['wallets'] as Body[]).some((wallet) => (wallet['address'] ?? wallet) === address))!['id'];
  };
  const breaches = async (query = ''): Promise<Body[]> =>
    (await admin.get<Body>(`/api/v1/reports/alerts?type=POLICY_BREACH&limit=100${query}`))['alerts'];

  it('is the act of who signed it, and flagged', async () => {
    expect(await landed(eventId)).toMatchObject({
      actor: { address: mill.address, orgId: await orgIdOf(mill.address), orgName: 'Example Mill' },
      calldataMismatch: false,
      senderMismatch: true,
      preparedSender: farm.address,
    });
    const { data } = await admin.get<{ data: Body[] }>('/api/v1/events?limit=10');
    expect(data.find(({ id }) => id === eventId)).toMatchObject({ senderMismatch: true });
    const own = await prepare('RH-20260915-S2');
    await farm.sender.send(own.preparedTx);
    expect(await landed(own.eventId)).toMatchObject({
      actor: { address: farm.address, orgId: await orgIdOf(farm.address) },
      senderMismatch: false,
      preparedSender: null,
    });
  });

  /** What webhooks said of a topic. */
  const said = async (topic: string, count: number): Promise<Body[]> =>
    once(async () => {
      const all = world.sink.at('/signed').map(({ body }) => JSON.parse(body.toString()) as { event: string; data: Body });
      const found = all.filter(({ event }) => event === topic).map(({ data }) => data);
      expect(found.length).toBeGreaterThanOrEqual(count);
      return found;
    });

  it('is sent to webhooks', async () => {
    const messages = await said('event.recorded', 2);
    expect(messages.find((data) => data['eventId'] === eventId)).toMatchObject({
      ...{ actor: mill.address, orgId: await orgIdOf(mill.address), senderMismatch: true, preparedSender: farm.address },
    });
    expect(messages.filter((data) => data['eventId'] !== eventId)).toMatchObject([{ senderMismatch: false, preparedSender: null }]);
  });

  it('raises an alert of the signer, which can be muted', async () => {
    const alert = await once(async () => {
      const [found, ...others] = (await breaches()).filter(({ subject }) => subject.id === eventId);
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        severity: 'high',
        evidence: { senderMismatch: true, eventId, sender: mill.address, preparedSender: farm.address },
        threshold: { senderMismatch: false },
      });
      return found!;
    });
    await admin.post(`/api/v1/reports/alerts/${alert['id']}/ack`, { muteUntil: '2999-01-01T00:00:00Z' });
    expect((await breaches('&muted=false')).map(({ id }) => id)).not.toContain(alert['id']);
  });

  it('is shown by verify and by the EPCIS export', async () => {
    const { links } = await admin.get<{ links: Body[] }>(`/api/v1/events/${eventId}/verify`);
    expect(Object.fromEntries(links.map(({ link, status }) => [link, status]))).toMatchObject({
      content_sender: 'mismatch',
      record_chain: 'ok',
      record_content: 'ok',
    });
    const document = await admin.get<Body>('/api/v1/events?format=epcis&limit=10');
    expect(document['epcisBody'].eventList).toContainEqual(
      expect.objectContaining({ eventID: `urn:uuid:${eventId}`, 'trc:senderMismatch': true }),
    );
  });

  it('counts for the signer in reports', async () => {
    const events = (report: Body, name: string): number => report['organizations'].find((one: Body) => one['name'] === name)['n'].events;
    await once(async () => {
      const report = await admin.get<Body>('/api/v1/reports/suppliers?limit=100');
      // The farm has its own harvest of the first test.
      expect([events(report, 'Example Mill'), events(report, 'Example Farm A')]).toEqual([1, 1]);
    });
  });

  it('is a void of who signed it, with an alert', async () => {
    const { preparedTx } = await admin.post<{ preparedTx: PreparedTx }>(`/api/v1/events/${eventId}/void/prepare`, {
      reason: 'did_not_occur',
    });
    const { address } = await administrator(world, 'rice');
    // Its holder may void it, and the administrator prepared that.
    await farm.sender.send(preparedTx);
    const { errorDeclaration } = await landed(eventId, 'voided');
    const foreign = { senderMismatch: true, preparedSender: address };
    expect(errorDeclaration).toMatchObject({ actor: farm.address, reason: 'did_not_occur', ...foreign });
    await once(async () =>
      expect((await breaches()).filter(({ evidence }) => evidence.call === 'void')).toMatchObject([
        { severity: 'high', subject: { kind: 'event', id: eventId }, evidence: { ...foreign, eventId, sender: farm.address } },
      ]),
    );
  });

  it('is a recall, and its lifting, of who signed them, with an alert each', async () => {
    const company = await administrator(world, 'rice');
    const { preparedTx } = await company.api.post<{ preparedTx: PreparedTx }>('/api/v1/tx/prepare', {
      ...{ method: 'setRoles', processId: ZERO_BYTES32, metadata: { args: { account: mill.address, roles: 31 } } },
    });
    await company.land(preparedTx, 'test');
    const { tokenId } = await admin.lots.byTlc('RH-20260915-S2');
    const sign = async (by: Company, path: string, body: object): Promise<void> =>
      void (await by.sender.sendAndWait(
        (await admin.post<{ preparedTx: PreparedTx }>(`/api/v1/nfts/${tokenId}/${path}`, body)).preparedTx,
      ));
    const recalls = async (): Promise<Body[]> => (await admin.get<{ data: Body[] }>('/api/v1/recalls')).data;
    const foreign = { senderMismatch: true, preparedSender: company.address };

    await sign(mill, 'recall/prepare', { reason: 'Cadmium' });
    await once(async () => expect(await recalls()).toMatchObject([{ recalledBy: mill.address, ...foreign }]));
    expect(await said('nft.recalled', 1)).toMatchObject([{ recalledBy: mill.address, ...foreign }]);
    await sign(mill, 'recall/lift/prepare', { reason: 'A mistake' });
    await once(async () =>
      expect((await recalls())[0]!['lots']).toMatchObject([
        { liftedBy: mill.address, liftSenderMismatch: true, liftPreparedSender: company.address },
      ]),
    );
    const calls = async (): Promise<unknown[]> =>
      (await breaches()).filter(({ subject }) => subject.tokenId === tokenId).map(({ evidence }) => [evidence.call, evidence.sender]);
    await once(async () =>
      expect(new Set(await calls())).toEqual(
        new Set([
          ['lifted', mill.address],
          ['recalled', mill.address],
        ]),
      ),
    );
    const { epcisBody } = await admin.get<Body>('/api/v1/events?format=epcis&limit=20');
    const listed = (epcisBody.eventList as Body[]).filter((one) => one['trc:recall']);
    expect(listed.map((one) => one['trc:senderMismatch'])).toEqual([true, true]);

    await sign(company, 'recall/prepare', { reason: 'Cadmium, found again' });
    await once(async () =>
      expect((await recalls())[0]).toMatchObject({ recalledBy: company.address, senderMismatch: false, preparedSender: null }),
    );
  });
});
