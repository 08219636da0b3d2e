import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { FollowEvents } from '../../application/follow-events.js';
import { ReportSettings } from '../../settings.js';

/** Large tenants, one after the other; any number of processes share them. */
@Injectable()
export class EventFollower extends Sweep {
  constructor(
    private readonly followEvents: FollowEvents,
    settings: ReportSettings,
  ) {
    super(settings.followEveryMs);
  }

  protected override turn(leaving: AbortSignal): Promise<void> {
    return this.followEvents.all(leaving);
  }
}
