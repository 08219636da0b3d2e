import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** Checks `X-Webhook-Signature` over the raw request body (docs/spec/service.md#signature), in constant time; runs in Node and in browsers. */
export function verifyWebhook(secret: string, rawBody: Uint8Array | string, signature: string | undefined): boolean {
  const text = new TextEncoder();
  const digest = hmac(sha256, text.encode(secret), typeof rawBody === 'string' ? text.encode(rawBody) : rawBody);
  const expected = `sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const given = signature ?? '';
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++) difference |= (given.charCodeAt(index) | 0) ^ expected.charCodeAt(index);
  return difference === 0;
}
