import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems } from '#http';
import {
  Access,
  type BearerPrincipal,
  CurrentActor,
  CurrentBearer,
  bearerRequired,
  platformAdminRequired,
  tenantNotFound,
} from '#identity';
import type { Actor } from '#kernel';
import { aboveCeiling } from '../errors.js';
import { ChangeSponsorship } from './change-sponsorship.js';
import { CeilingBody, SponsorshipBody, SponsorshipView, sponsorshipView } from './sponsorship.dto.js';

const wei = (text: string | null | undefined): bigint | null | undefined => (text === null || text === undefined ? text : BigInt(text));

/** docs/spec/api.md#relay */
@ApiTags('Transactions')
@Controller('api/v1/sponsorship')
export class SponsorshipController {
  constructor(private readonly sponsorships: ChangeSponsorship) {}

  @Get()
  @Access('member')
  @ApiOperation({ operationId: 'getSponsorship', summary: 'What the sponsor pays for the members of the tenant, and who it is' })
  @ApiOkResponse({ type: SponsorshipView })
  async get(@CurrentActor() actor: Actor): Promise<SponsorshipView> {
    return sponsorshipView(await this.sponsorships.read(actor));
  }

  @Patch()
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'changeSponsorship', summary: 'Lower what the sponsor pays for the members of the tenant' })
  @ApiOkResponse({ type: SponsorshipView })
  @ApiProblems(aboveCeiling)
  async change(@CurrentActor() actor: Actor, @Body() { limitWeiPerDay, relaysPerHour }: SponsorshipBody): Promise<SponsorshipView> {
    return sponsorshipView(await this.sponsorships.change(actor, { limit: wei(limitWeiPerDay), relaysPerHour }));
  }
}

/** docs/spec/api.md#relay */
@ApiTags('Transactions')
@Controller('api/v2/tenants')
export class SponsorshipCeilingController {
  constructor(private readonly sponsorships: ChangeSponsorship) {}

  @Patch(':id/sponsorship')
  @Access('platform')
  @ApiOperation({ operationId: 'setSponsorshipCeiling', summary: 'Set the most that the sponsor pays for a tenant; by slug or UUID' })
  @ApiOkResponse({ type: SponsorshipView })
  @ApiProblems(bearerRequired, platformAdminRequired, tenantNotFound)
  async setCeiling(
    @CurrentBearer() { userId }: BearerPrincipal,
    @Param('id') id: string,
    @Body() { ceilingWeiPerDay }: CeilingBody,
  ): Promise<SponsorshipView> {
    return sponsorshipView(await this.sponsorships.setCeiling(userId, id, wei(ceilingWeiPerDay) ?? null));
  }
}
