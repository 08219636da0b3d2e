import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RefreshTokens } from '../../ports.js';
import { IdentitySettings } from '../../settings.js';

const MARK = 'trr_';
const HEAD_BYTES = 20;

/** `trr_` + base64url(session id, number, HMAC-SHA256 of both). */
@Injectable()
export class MacRefreshTokens extends RefreshTokens {
  private readonly key: Buffer;

  constructor(settings: IdentitySettings) {
    super();
    this.key = Buffer.from(hkdfSync('sha256', settings.encryptionKey, '', 'refresh-token', 32));
  }

  override of(sessionId: string, counter: number): string {
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(sessionId.replaceAll('-', ''), 'hex');
    head.writeUInt32BE(counter, 16);
    return MARK + Buffer.concat([head, this.mac(head)]).toString('base64url');
  }

  override read(token: string): { readonly sessionId: string; readonly counter: number } | null {
    const bytes = token.startsWith(MARK) ? Buffer.from(token.slice(MARK.length), 'base64url') : Buffer.alloc(0);
    if (bytes.length !== HEAD_BYTES + 32) return null;
    const head = bytes.subarray(0, HEAD_BYTES);
    if (!timingSafeEqual(this.mac(head), bytes.subarray(HEAD_BYTES))) return null;
    const sessionId = head.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    return { sessionId, counter: head.readUInt32BE(16) };
  }

  private mac(head: Buffer): Buffer {
    return createHmac('sha256', this.key).update(head).digest();
  }
}
