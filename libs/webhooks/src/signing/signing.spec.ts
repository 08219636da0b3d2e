import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders, seal, sealingKey, secretFrom, unseal } from './signing.js';

const secret = secretFrom(Buffer.alloc(32, 7));
const previousSecret = secretFrom(Buffer.alloc(32, 8));
const body = Buffer.from('{"event":"nft.created","z":1.0,"a":1e21,"é":"\u2028"}');
const signed = { id: 'b3a5', event: 'nft.created', body, secret, previousSecret: null };

describe('the signatures of an attempt', () => {
  it('are the HMAC of the raw body under the whole secret, as GitHub writes it', () => {
    expect(deliveryHeaders(signed, new Date())['X-Webhook-Signature']).toBe(
      `sha256=${createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex')}`,
    );
  });

  it('satisfy the standardwebhooks package, and only with the right secret and bytes', () => {
    const headers = deliveryHeaders(signed, new Date());
    expect(() => new Webhook(secret).verify(body, headers)).not.toThrow();
    expect(() => new Webhook(previousSecret).verify(body, headers)).toThrow('No matching signature');
    expect(() => new Webhook(secret).verify(Buffer.from(`${body.toString()} `), headers)).toThrow('No matching signature');
  });

  it('during a rotation carry both secrets, the new one in the header of the specification', () => {
    const headers = deliveryHeaders({ ...signed, previousSecret }, new Date());
    for (const either of [secret, previousSecret]) expect(() => new Webhook(either).verify(body, headers)).not.toThrow();
    expect(headers['X-Webhook-Signature-Previous']).toBe(`sha256=${createHmac('sha256', previousSecret).update(body).digest('hex')}`);
  });

  it('leave no trace of a previous secret when there is none', () => {
    expect(deliveryHeaders(signed, new Date())).not.toHaveProperty('X-Webhook-Signature-Previous');
  });
});

const key = sealingKey(Buffer.alloc(32, 1));
const nonce = Buffer.alloc(12, 9);

describe('a sealed secret', () => {
  const sealed = seal('whsec_abc', 'subscription-1', key, nonce);

  it('opens with its key for its owner, and shows nothing', () => {
    expect(unseal(sealed, 'subscription-1', [sealingKey(Buffer.alloc(32, 2)), key])).toBe('whsec_abc');
    expect(sealed).not.toContain('whsec');
  });

  it('does not open in another row, nor when changed', () => {
    expect(() => unseal(sealed, 'subscription-2', [key])).toThrow();
    expect(() => unseal(`${sealed.slice(0, -4)}AAAA`, 'subscription-1', [key])).toThrow();
  });

  it('names the key that is missing', () => {
    expect(() => unseal(sealed, 'subscription-1', [sealingKey(Buffer.alloc(32, 2))])).toThrow(key.id);
  });
});
