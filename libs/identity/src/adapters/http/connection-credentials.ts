import { hash as digest } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { twoCredentials, unauthenticated } from '../../domain/errors.js';

export interface Credential {
  readonly kind: 'bearer' | 'api_key';
  readonly text: string;
  /** SHA-256, with the kind: a key that is remembered is no bearer, and the other way round. */
  readonly hash: string;
}

interface Sent extends Credential {
  readonly header: string;
}

/**
 * The credential of a request. A client sends the same one again and again over its connection, so the last one stays with
 * the connection, and only there: what it is allowed is asked anew each time, by its hash.
 */
export class ConnectionCredentials {
  private readonly last = new WeakMap<object, Sent>();

  /** @throws DomainError 401 where there is none, 400 where there are two */
  of({ raw }: FastifyRequest): Credential {
    const { authorization, 'x-api-key': key } = raw.headers;
    if (authorization !== undefined && key !== undefined) throw twoCredentials();
    const kind = key === undefined ? 'bearer' : 'api_key';
    const header = authorization ?? key;
    const last = this.last.get(raw.socket);
    if (last && last.header === header && last.kind === kind) return last;
    const text = kind === 'bearer' ? bearerIn(authorization) : key;
    if (typeof text !== 'string' || typeof header !== 'string') throw unauthenticated();
    const sent: Sent = { kind, text, hash: digest('sha256', `${kind} ${text}`, 'base64'), header };
    this.last.set(raw.socket, sent);
    return sent;
  }
}

const bearerIn = (authorization: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
