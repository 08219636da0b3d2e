import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { ExpireEvents } from '../../application/expire-events.js';

/** Once a minute. */
@Injectable()
export class EventExpiry extends Sweep {
  constructor(private readonly expireEvents: ExpireEvents) {
    super(60_000);
  }

  protected override turn(leaving: AbortSignal): Promise<void> {
    return this.expireEvents.expire(leaving);
  }
}
