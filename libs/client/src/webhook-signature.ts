import { createHmac, timingSafeEqual } from 'node:crypto';

/** Checks `X-Webhook-Signature` over the raw request body (specification §6.3), in constant time. */
export function verifyWebhook(secret: string, rawBody: Buffer | string, signature: string | undefined): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`);
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
