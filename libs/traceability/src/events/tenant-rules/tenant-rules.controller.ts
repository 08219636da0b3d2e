import { BooleanField, Edits, EnumField, HasETag, IfMatch } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, ExpectedState } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeRules } from './change-tenant-rules.js';
import type { TenantRules } from '../../process-maps/event-reading.js';
import { TenantRulesQueries } from './tenant-rules.queries.js';

export class RulesBody implements Partial<TenantRules> {
  @BooleanField({ description: 'An input past its expiry date is an error, not a warning', optional: true })
  blockExpired?: boolean;

  @BooleanField({ description: 'An input that a recall affects is an error, not a warning', optional: true })
  blockRecallAffected?: boolean;

  @EnumField(['sealed', 'open'], {
    description:
      '`open`: every value of new events is public, on chain and in the store, and can never be erased. It cannot be taken back for events that were recorded',
    optional: true,
  })
  contents?: 'sealed' | 'open';
}

export class RulesView implements TenantRules {
  @BooleanField({ description: 'An input past its expiry date is an error, not a warning' })
  blockExpired: boolean;

  @BooleanField({ description: 'An input that a recall affects is an error, not a warning' })
  blockRecallAffected: boolean;

  @EnumField(['sealed', 'open'], {
    description:
      '`open`: every value of new events is public, on chain and in the store, and can never be erased. It cannot be taken back for events that were recorded',
  })
  contents: 'sealed' | 'open';
}

@ApiTags('Events')
@Controller('api/v1/rules')
export class RulesController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: TenantRulesQueries,
    private readonly changeRules: ChangeRules,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'What the tenant refuses in its events beyond what everybody refuses' })
  @ApiOkResponse({ type: RulesView })
  @HasETag()
  async show(@CurrentActor() actor: Actor): Promise<RulesView> {
    return rulesView(await this.work.read(actor, (tx) => this.rules.of(tx)));
  }

  @Patch()
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ summary: 'Change it; what is absent stays as it is' })
  @ApiOkResponse({ type: RulesView })
  @HasETag()
  @Edits()
  async change(@CurrentActor() actor: Actor, @Body() body: RulesBody, @IfMatch() expected: ExpectedState): Promise<RulesView> {
    return rulesView(await this.changeRules.change(actor, body, expected));
  }
}

const rulesView = ({ blockExpired, blockRecallAffected, contents }: TenantRules): RulesView => ({
  ...{ blockExpired, blockRecallAffected, contents },
});
