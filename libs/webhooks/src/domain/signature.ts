import { createHmac } from 'node:crypto';

/** Specification §6.3: keyed with the UTF-8 bytes of the secret exactly as returned, prefix included. */
export const bodySignature = (secret: string, body: Buffer): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Standard Webhooks: keyed with the base64-decoded part behind `whsec_`, over id, time and body. */
export function standardSignature(secret: string, id: string, unixSeconds: number, body: Buffer): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${unixSeconds}.`).update(body).digest('base64')}`;
}

export const SECRET_PREFIX = 'whsec_';
export const SECRET_BYTES = 32;
export const secretFrom = (random: Buffer): string => `${SECRET_PREFIX}${random.toString('base64')}`;

export interface Signed {
  /** `X-Webhook-Id`; the same on every attempt. */
  readonly id: string;
  readonly event: string;
  readonly body: Buffer;
  readonly secret: string;
  /** The secret before the rotation, while its grace period lasts. */
  readonly previousSecret: string | null;
}

/** Headers of one attempt (specification §6.2, reliability-decisions §1.8). Only the Standard Webhooks ones know the time. */
export function deliveryHeaders({ id, event, body, secret, previousSecret }: Signed, at: Date): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'traceability-service-webhooks/1',
    'X-Webhook-Id': id,
    'X-Webhook-Event': event,
    'X-Webhook-Signature': bodySignature(secret, body),
    ...(previousSecret !== null && { 'X-Webhook-Signature-Previous': bodySignature(previousSecret, body) }),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((each) => standardSignature(each, id, seconds, body)).join(' '),
  };
}
