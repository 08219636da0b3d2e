import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Config } from '#config';
import { isUuid } from '#kernel';
import { NOTICE_TOPICS, type NoticeTopic } from './notice.js';

/** Whose mails about what a link ends. */
export interface UnsubscribeRequest {
  readonly tenantId: string;
  readonly userId: string;
  /** `all`: every topic. */
  readonly topic: NoticeTopic | 'all';
}

/** Addresses of links in mails, and the signature of those that end them: they work without signing in, and never expire. */
export class NoticeLinks {
  private readonly origin: string;
  private readonly keys: readonly Buffer[];

  constructor({ http, secrets }: Pick<Config, 'http' | 'secrets'>) {
    this.origin = http.publicUrl ?? `http://localhost:${http.port}`;
    this.keys = [secrets.encryptionKey!, ...secrets.retiredEncryptionKeys].map((secret) =>
      Buffer.from(hkdfSync('sha256', secret, '', 'notice unsubscribe links', 32)),
    );
  }

  /** @param path of a page of the portal */
  portal(path: string): string {
    return `${this.origin}/portal${path}`;
  }

  unsubscribe(request: UnsubscribeRequest): string {
    const said = textOf(request);
    return `${this.origin}/notices/off?token=${said}.${signatureOf(said, this.keys[0]!)}`;
  }

  /** Null for a token that this service has not made. */
  read(token: string): UnsubscribeRequest | null {
    const [, tenantId, userId, topic, signature] = /^([\da-f-]{36})\.([\da-f-]{36})\.([a-z]{1,20})\.([\w-]{43})$/.exec(token) ?? [];
    if (!tenantId || !userId || !topic || !signature || !isUuid(tenantId) || !isUuid(userId) || !isTopic(topic)) return null;
    const request = { tenantId, userId, topic };
    const given = Buffer.from(signature);
    return this.keys.some((key) => timingSafeEqual(given, Buffer.from(signatureOf(textOf(request), key)))) ? request : null;
  }
}

const textOf = ({ tenantId, userId, topic }: UnsubscribeRequest): string => `${tenantId}.${userId}.${topic}`;
const signatureOf = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url');
const isTopic = (topic: string): topic is UnsubscribeRequest['topic'] => topic === 'all' || NOTICE_TOPICS.some((one) => one === topic);
