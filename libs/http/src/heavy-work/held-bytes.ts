import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from '#kernel';
import type { RouteHandler } from '../access/body-admission.js';
import { whenAnswered } from './when-answered.js';
import type { HeavyCaller } from './heavy-work.js';
import { callerOf, isHeavy } from './heavy.js';

export const tooManyBytesWaiting = refusal(
  'too_many_bytes_waiting',
  429,
  (bytes: number) => `Bodies of heavy requests have ${bytes} bytes already. Send this one when an earlier one is answered.`,
  (bytes) => ({ limit: bytes, retryAfterSeconds: 5 }),
);

/**
 * Bytes of the bodies of heavy requests that are read, wait and run in this process: of one tenant at most half, of one principal a quarter.
 * Parsed JSON takes several times the bytes of its text, and heavy requests wait for half a minute.
 */
export class HeldBytes {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly most: number) {}

  get load(): number {
    return this.held;
  }

  /** @returns gives the bytes back; more calls have no effect @throws DomainError 429 `too_many_bytes_waiting` */
  take({ tenant, principal }: HeavyCaller, bytes: number): () => void {
    const shares = [
      [`${tenant} ${principal}`, Math.floor(this.most / 4)],
      [tenant, Math.floor(this.most / 2)],
    ] as const;
    for (const [owner, share] of shares) if (this.of(owner) + bytes > share) throw tooManyBytesWaiting(share);
    if (this.held + bytes > this.most) throw tooManyBytesWaiting(this.most);
    const add = (change: number): void => {
      this.held += change;
      for (const [owner] of shares) {
        const now = this.of(owner) + change;
        if (now > 0) this.heldBy.set(owner, now);
        else this.heldBy.delete(owner);
      }
    };
    add(bytes);
    let isBack = false;
    return () => {
      if (!isBack) add(-bytes);
      isBack = true;
    };
  }

  private of(owner: string): number {
    return this.heldBy.get(owner) ?? 0;
  }
}

/** Refuses the body of a heavy request before it is read when its caller's share of the bytes is full. */
@Injectable()
export class HeavyBodies {
  constructor(
    private readonly reflector: Reflector,
    private readonly bytes: HeldBytes,
  ) {}

  /** @throws DomainError 429 `too_many_bytes_waiting` */
  admit({ handler, controller }: RouteHandler, request: FastifyRequest, reply: FastifyReply): void {
    if (!isHeavy(this.reflector, [handler, controller], request)) return;
    whenAnswered(reply.raw, this.bytes.take(callerOf(request), sizeOf(request)));
  }
}

/** A chunked body does not say how long it is: it may become as long as the route takes. */
function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.POSITIVE_INFINITY;
  return Math.min(length, routeOptions.bodyLimit ?? length);
}
