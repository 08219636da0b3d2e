import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { WebhookRefused, verifyWebhook, verifyWebhookBody } from './webhook-signature.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0';
const BODY = '{"event":"webhook.test","data":{"note":"Öl"}}';
const NOW = new Date('2026-12-01T09:00:00Z');
const delivery = (at = NOW, secret = SECRET) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': new Webhook(secret).sign('msg_1', at, BODY),
});
const reasonFor = (headers: Readonly<Record<string, string | undefined>>, body = BODY): string => {
  try {
    verifyWebhook(SECRET, body, headers, { now: NOW });
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookRefused ? error.message : String(error);
  }
};

describe('a delivery of Standard Webhooks', () => {
  it('is read with its id and time, from headers of Node and of fetch, as text and as bytes', () => {
    const expected = { id: 'msg_1', sentAt: NOW, body: { event: 'webhook.test', data: { note: 'Öl' } } };
    expect(verifyWebhook(SECRET, BODY, delivery(), { now: NOW })).toEqual(expected);
    expect(verifyWebhook(SECRET, Buffer.from(BODY), new Headers(delivery()), { now: NOW })).toEqual(expected);
    const capitals = Object.fromEntries(Object.entries(delivery()).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verifyWebhook(SECRET, BODY, capitals, { now: NOW })).toEqual(expected);
  });

  it('is accepted with either secret while one is rotated', () => {
    const both = { ...delivery(), 'webhook-signature': `${delivery(NOW, OTHER)['webhook-signature']} ${delivery()['webhook-signature']}` };
    expect(verifyWebhook(SECRET, BODY, both, { now: NOW }).id).toBe('msg_1');
    expect(verifyWebhook([OTHER, SECRET], BODY, delivery(), { now: NOW }).id).toBe('msg_1');
  });

  it('is refused when it is forged, changed, old, from the future, or signed in the other way', () => {
    const wrong = 'The signature is wrong.';
    const old = 'The delivery is too old, or a clock is wrong.';
    const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
    expect(reasonFor(delivery(NOW, OTHER))).toBe(wrong);
    expect(reasonFor(delivery(), `${BODY} `)).toBe(wrong);
    expect(reasonFor({ ...delivery(), 'webhook-id': 'msg_2' })).toBe(wrong);
    expect(reasonFor({ ...delivery(), 'webhook-timestamp': String(after(1).getTime() / 1000) })).toBe(wrong);
    expect(reasonFor({ ...delivery(), 'webhook-signature': undefined })).toBe(wrong);
    expect(reasonFor({ ...delivery(), 'webhook-signature': delivery()['webhook-signature'].slice(0, -1) })).toBe(wrong);
    expect(reasonFor(delivery(after(-301)))).toBe(old);
    expect(reasonFor(delivery(after(301)))).toBe(old);
    expect(reasonFor(delivery(after(-299)))).toBe('accepted');
    const sha256 = createHmac('sha256', SECRET).update(BODY).digest('hex');
    expect(reasonFor({ 'x-webhook-signature': `sha256=${sha256}` })).toBe('The headers of Standard Webhooks are missing.');
  });
});

describe('the signature of the body alone', () => {
  it('is not checked with a secret that is missing or not whole: anybody could sign with it', () => {
    const forged = (secret: string) => ({
      ...delivery(),
      'webhook-signature': `v1,${createHmac('sha256', Buffer.from(secret, 'base64'))
        .update(`msg_1.${NOW.getTime() / 1000}.${BODY}`)
        .digest('base64')}`,
    });
    for (const secret of ['', 'whsec_', 'whsec_!!!', 'whsec_c2VjcmV0'])
      for (const secrets of [secret, [SECRET, secret]])
        expect(() => verifyWebhook(secrets, BODY, forged(secret.replace('whsec_', '')), { now: NOW })).toThrow('missing, or is not whole');
    expect(() => verifyWebhookBody('', BODY, `sha256=${createHmac('sha256', '').update(BODY).digest('hex')}`)).toThrow('not whole');
  });

  it('tells a forged body from a true one', () => {
    const signature = `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`;
    expect(verifyWebhookBody(SECRET, BODY, signature)).toBe(true);
    expect(verifyWebhookBody(SECRET, Buffer.from(BODY), signature)).toBe(true);
    const last = signature.at(-1) === '0' ? '1' : '0';
    for (const forged of [undefined, '', signature.slice(0, -1), `${signature}0`, signature.slice(0, -1) + last])
      expect(verifyWebhookBody(SECRET, BODY, forged)).toBe(false);
    expect(verifyWebhookBody(SECRET, `${BODY} `, signature)).toBe(false);
  });
});
