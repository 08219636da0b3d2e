import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TraceabilityClient, verifyWebhook } from '#client';
import { eventually } from '../harness/eventually.js';
import { World } from '../harness/world.js';

interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** docs/how-to/receive-webhooks.md: what the developer of a receiver needs. */
describe('the secret and the requests of a webhook', () => {
  let world: World;
  let api: TraceabilityClient;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;

  beforeAll(async () => {
    world = await World.start();
    api = await world.admin('rice');
  });
  afterAll(() => world?.close());

  const register = (more: object): Promise<{ id: string; secret: string }> =>
    api.post('/api/v1/webhooks', { url: world.sink.url('/own'), events: ['*'], ...more });
  const requestOf = (id: string, deliveryId: string): Promise<DeliveryRequest> =>
    api.get(`/api/v1/webhooks/${id}/deliveries/${deliveryId}/request`);
  const delivered = async (id: string): Promise<string> => {
    const { deliveryId } = await api.post<{ deliveryId: string }>(`/api/v1/webhooks/${id}/test`);
    await eventually('the delivery', async () =>
      (await api.webhooks.deliveries(id)).some((one) => one['id'] === deliveryId && one['success']),
    );
    return deliveryId;
  };

  it('signs with a secret of the client’s own, which the receiver had before', async () => {
    const { id, secret: answered } = await register({ secret });
    expect(answered).toBe(secret);
    await delivered(id);
    const { body, headers } = world.sink.at('/own').at(-1)!;
    expect(verifyWebhook(secret, body, headers).body).toMatchObject({ event: 'webhook.test' });
  });

  it('takes no secret that is short, long, not base64, or of another form', async () => {
    for (const wrong of [
      '',
      'secret',
      `whsec_${'A'.repeat(40)}`,
      `whsec_${'A'.repeat(92)}`,
      `whsec_${'-'.repeat(44)}`,
      `whsec_${'A'.repeat(45)}`,
    ])
      await expect(register({ secret: wrong })).rejects.toMatchObject({ status: 400 });
  });

  it('shows what a delivery sent, byte by byte, with signatures that fit', async () => {
    const { id } = await register({ secret });
    const deliveryId = await delivered(id);
    const received = world.sink.at('/own').find(({ headers }) => headers['x-webhook-id'] === deliveryId)!;
    const { url, headers, body } = await requestOf(id, deliveryId);
    expect([url, body]).toEqual([world.sink.url('/own'), received.body.toString()]);
    expect(headers['X-Webhook-Signature']).toBe(received.headers['x-webhook-signature']);
    expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(
      expect.arrayContaining(['x-webhook-id', 'webhook-timestamp', 'webhook-signature']),
    );
    // With the previous secret while it is valid, and without anything once the subscription is deleted.
    await api.post(`/api/v1/webhooks/${id}/rotate-secret`, { gracePeriodSeconds: 60 });
    expect((await requestOf(id, deliveryId)).headers).toHaveProperty('X-Webhook-Signature-Previous', headers['X-Webhook-Signature']);
    await api.webhooks.delete(id);
    expect(await requestOf(id, deliveryId)).toEqual({ url, headers: {}, body });
  });

  it('shows it to nobody else: another webhook, another tenant, an unknown delivery', async () => {
    const [one, other] = [await register({}), await register({})];
    const deliveryId = await delivered(one.id);
    await expect(requestOf(other.id, deliveryId)).rejects.toMatchObject({ status: 404, code: 'delivery_not_found' });
    await expect(requestOf(one.id, 'no-uuid')).rejects.toMatchObject({ status: 404, code: 'delivery_not_found' });
    const foreign = (await world.admin('wool')).get(`/api/v1/webhooks/${one.id}/deliveries/${deliveryId}/request`);
    await expect(foreign).rejects.toMatchObject({ status: 404, code: 'webhook_not_found' });
  });
});
