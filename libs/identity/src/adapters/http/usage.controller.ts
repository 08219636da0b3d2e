import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CurrentActor, IntegerField, ObjectField, StringField } from '#http';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Quotas } from '../../contract.js';
import type { Usage } from '../../domain/usage.js';

export class UsedView {
  @IntegerField({ description: 'Used' })
  used: number;

  @IntegerField({ description: 'What the tier may use' })
  limit: number;
}

export class RateView {
  @IntegerField({ description: 'Requests a minute, of each principal' })
  perMinute: number;
}

export class UsageView {
  @StringField({ description: "The tenant's tier" })
  tier: string;

  @StringField({ description: 'First day of the month that events are counted in, UTC', format: 'date' })
  month: string;

  @ObjectField(() => RateView, { description: 'Rate; what is left of it stands in the RateLimit headers of every answer' })
  requests: RateView;

  @ObjectField(() => UsedView, { description: 'Events prepared this month' })
  events: UsedView;

  @ObjectField(() => UsedView, { description: 'Bytes of content stored so far' })
  storedBytes: UsedView;

  @ObjectField(() => UsedView, { description: 'API keys that are valid' })
  apiKeys: UsedView;

  @ObjectField(() => UsedView, { description: 'Webhook subscriptions' })
  subscriptions: UsedView;
}

const usageView = ({ tier, month, limits, events, storedBytes, keys, subscriptions }: Usage): UsageView => ({
  tier,
  month,
  requests: { perMinute: limits.requestsPerMinute },
  events: { used: events, limit: limits.eventsPerMonth },
  storedBytes: { used: storedBytes, limit: limits.storedBytes },
  apiKeys: { used: keys, limit: limits.keys },
  subscriptions: { used: subscriptions, limit: limits.subscriptions },
});

@ApiTags('Usage')
@Controller('api/v1/usage')
export class UsageController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly quotas: Quotas,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'What the tenant has used, and what its tier may use' })
  @ApiOkResponse({ type: UsageView })
  async usage(@CurrentActor() actor: Actor): Promise<UsageView> {
    return usageView(await this.unitOfWork.inSnapshot(actor, (tx) => this.quotas.usage(tx)));
  }
}
