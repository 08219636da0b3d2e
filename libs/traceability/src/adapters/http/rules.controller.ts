import { BooleanField } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeRules } from '../../application/change-rules.js';
import type { TenantRules } from '../../domain/event-context.js';
import { Rules } from '../../ports.js';

export class RulesBody implements Partial<TenantRules> {
  @BooleanField({ description: 'An input past its expiry date is an error, not a warning', optional: true })
  blockExpired?: boolean;

  @BooleanField({ description: 'An input that a recall affects is an error, not a warning', optional: true })
  blockRecallAffected?: boolean;
}

export class RulesView implements TenantRules {
  @BooleanField({ description: 'An input past its expiry date is an error, not a warning' })
  blockExpired: boolean;

  @BooleanField({ description: 'An input that a recall affects is an error, not a warning' })
  blockRecallAffected: boolean;
}

@ApiTags('events')
@Controller('api/v1/rules')
export class RulesController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: Rules,
    private readonly changeRules: ChangeRules,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'What the tenant refuses in its events beyond what everybody refuses' })
  @ApiOkResponse({ type: RulesView })
  async show(@CurrentActor() actor: Actor): Promise<RulesView> {
    return rulesView(await this.work.inTransaction(actor, (tx) => this.rules.of(tx)));
  }

  @Patch()
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Change it; what is absent stays as it is' })
  @ApiOkResponse({ type: RulesView })
  async change(@CurrentActor() actor: Actor, @Body() body: RulesBody): Promise<RulesView> {
    return rulesView(await this.changeRules.change(actor, body));
  }
}

const rulesView = ({ blockExpired, blockRecallAffected }: TenantRules): RulesView => ({ blockExpired, blockRecallAffected });
