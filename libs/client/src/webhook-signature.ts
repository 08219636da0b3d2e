import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Json } from './types.js';

/** How far the clocks of sender and receiver may differ, in seconds; an older delivery that somebody kept is refused. */
const TOLERANCE_SECONDS = 300;

/** Headers of a request: those of fetch, or of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookDelivery {
  /** The same when a delivery is repeated: process each id once. */
  readonly id: string;
  readonly sentAt: Date;
  readonly body: Json;
}

/** The request is not a delivery of the service, or an old one. Answer 401. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
}

/**
 * Checks a delivery by Standard Webhooks: its id, time and body are signed. Runs in Node and in browsers, in constant time.
 * @param secrets as they were shown, with `whsec_`; two of them while one is rotated
 * @param rawBody the bytes as they came: parsed and written again they are others, and the signature is wrong
 * @throws WebhookRefused with the reason; Error where a secret is missing or not whole
 */
export function verifyWebhook(
  secrets: string | readonly string[],
  rawBody: Uint8Array | string,
  headers: WebhookHeaders,
  { now = new Date(), toleranceSeconds = TOLERANCE_SECONDS }: { readonly now?: Date; readonly toleranceSeconds?: number } = {},
): WebhookDelivery {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused('The headers of Standard Webhooks are missing.');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRefused('The delivery is too old, or a clock is wrong.');
  const body = bytesOf(rawBody);
  const expected = [secrets].flat().map(
    (secret) =>
      `v1,${base64(
        hmac
          .create(sha256, keyOf(secret))
          .update(bytesOf(`${id}.${timestamp}.`))
          .update(body)
          .digest(),
      )}`,
  );
  if (!anyEqual(headerOf(headers, 'webhook-signature').split(' '), expected)) throw new WebhookRefused('The signature is wrong.');
  return { id, sentAt: new Date(Number(timestamp) * 1000), body: JSON.parse(new TextDecoder().decode(body)) as Json };
}

/**
 * Checks `X-Webhook-Signature`, which signs the body alone: neither the id nor the time is certain, so an old delivery can be sent again with
 * another id. Use `verifyWebhook` if you can.
 */
export function verifyWebhookBody(secret: string, rawBody: Uint8Array | string, signature: string | undefined): boolean {
  keyOf(secret);
  const digest = hmac(sha256, bytesOf(secret), bytesOf(rawBody));
  return anyEqual([signature ?? ''], [`sha256=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`]);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

const bytesOf = (text: Uint8Array | string): Uint8Array => (typeof text === 'string' ? new TextEncoder().encode(text) : text);

/** Standard Webhooks asks for 24 bytes at least: with fewer, or none, anybody could sign. */
const LEAST_BYTES = 24;

/** @throws Error for a secret that is missing, or was copied in part */
function keyOf(secret: string): Uint8Array {
  const text = secret.replace(/^whsec_/, '');
  const key = /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) : new Uint8Array();
  if (key.length < LEAST_BYTES) throw new Error('The secret of the webhook is missing, or is not whole.');
  return key;
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Every pair in constant time: how long it takes says nothing of how much was right. */
const anyEqual = (given: readonly string[], expected: readonly string[]): boolean =>
  given.flatMap((one) => expected.map((other) => equal(one, other))).includes(true);

function equal(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++) difference |= (given.charCodeAt(index) | 0) ^ expected.charCodeAt(index);
  return difference === 0;
}
