import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Opens the restricted file of one passport until a time, to whoever has the link (domain-decisions §7: signed link with expiry). */
export class BundleLinks {
  private readonly key: Buffer;

  /** @param secret of the service; the key of the links is derived from it and opens nothing else */
  constructor(secret: Buffer) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'passport bundle links', 32));
  }

  /** @param until seconds since the epoch */
  sign(id: string, until: number): string {
    return createHmac('sha256', this.key).update(`${id}|${until}`).digest('base64url');
  }

  opens(id: string, until: string, signature: string, now: Date): boolean {
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1_000 < now.getTime()) return false;
    const [given, right] = [Buffer.from(signature), Buffer.from(this.sign(id, Number(until)))];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
