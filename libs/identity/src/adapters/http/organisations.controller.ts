import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CurrentActor, INVALID_CONTENT, pageView } from '#http';
import type { Actor } from '#kernel';
import { ChangeOrganisation } from '../../application/change-organisation.js';
import { CreateOrganisation } from '../../application/create-organisation.js';
import {
  notYourOrganisation,
  organisationNameTaken,
  organisationNotFound,
  roleRequired,
  siteInUse,
  siteNotFound,
  walletInUse,
  walletNotFound,
  walletTaken,
} from '../../domain/errors.js';
import { AdministrationQueries } from '../persistence/administration-queries.js';
import { OrgWalletBody, OrganisationBody, OrganisationChange, OrganisationQuery, SiteBody } from './administration.dto.js';
import { OrganisationPageView, OrganisationView, organisationView } from './administration.view.js';

const OWN = { roles: ['ADMIN', 'TENANT_ADMIN'] } as const;
const ownProblems = [roleRequired, notYourOrganisation, organisationNotFound] as const;

/** Companies of the tenant's value chain. Every member reads them; the tenant's administrator and their own ADMIN change them. */
@ApiTags('Organisations')
@Controller('api/v1/organisations')
export class OrganisationsController {
  constructor(
    private readonly queries: AdministrationQueries,
    private readonly createOrganisation: CreateOrganisation,
    private readonly changeOrganisation: ChangeOrganisation,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'Organisations by name' })
  @ApiOkResponse({ type: OrganisationPageView })
  async list(@CurrentActor() actor: Actor, @Query() { search = '', page, limit }: OrganisationQuery): Promise<OrganisationPageView> {
    return pageView(await this.queries.organisations(actor, search, { page, limit }), organisationView);
  }

  @Get(':id')
  @Access('member')
  @ApiOperation({ summary: 'One organisation' })
  @ApiOkResponse({ type: OrganisationView })
  @ApiProblems(organisationNotFound)
  get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<OrganisationView> {
    return this.view(actor, id);
  }

  @Post()
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'A new organisation' })
  @ApiCreatedResponse({ type: OrganisationView })
  @ApiProblems(roleRequired, organisationNameTaken, INVALID_CONTENT)
  async create(@CurrentActor() actor: Actor, @Body() body: OrganisationBody): Promise<OrganisationView> {
    return this.view(actor, (await this.createOrganisation.create(actor.tenantId, body, actor)).id);
  }

  @Patch(':id')
  @Access(OWN)
  @ApiOperation({ summary: 'Change the profile; what is absent stays' })
  @ApiOkResponse({ type: OrganisationView })
  @ApiProblems(...ownProblems, organisationNameTaken, INVALID_CONTENT)
  async change(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: OrganisationChange): Promise<OrganisationView> {
    await this.changeOrganisation.change(actor, id, body);
    return this.view(actor, id);
  }

  @Post(':id/sites')
  @Access(OWN)
  @ApiOperation({ summary: 'Add a place' })
  @ApiCreatedResponse({ type: OrganisationView })
  @ApiProblems(...ownProblems, INVALID_CONTENT)
  async addSite(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: SiteBody): Promise<OrganisationView> {
    await this.changeOrganisation.addSite(actor, id, body);
    return this.view(actor, id);
  }

  @Delete(':id/sites/:siteId')
  @HttpCode(204)
  @Access(OWN)
  @ApiOperation({ summary: 'Remove a place that no wallet stands for' })
  @ApiNoContentResponse({ description: 'Removed' })
  @ApiProblems(...ownProblems, siteNotFound, siteInUse)
  removeSite(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('siteId') siteId: string): Promise<void> {
    return this.changeOrganisation.removeSite(actor, id, siteId);
  }

  @Post(':id/wallets')
  @Access(OWN)
  @ApiOperation({ summary: 'Say that an address is of the organisation, or of one of its places' })
  @ApiCreatedResponse({ type: OrganisationView })
  @ApiProblems(...ownProblems, siteNotFound, walletTaken, INVALID_CONTENT)
  async addWallet(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: OrgWalletBody): Promise<OrganisationView> {
    await this.changeOrganisation.addWallet(actor, id, body);
    return this.view(actor, id);
  }

  @Delete(':id/wallets/:address')
  @HttpCode(204)
  @Access(OWN)
  @ApiOperation({ summary: 'Unbind an address that is no member’s' })
  @ApiNoContentResponse({ description: 'Unbound' })
  @ApiProblems(...ownProblems, walletNotFound, walletInUse)
  removeWallet(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('address') address: string): Promise<void> {
    return this.changeOrganisation.removeWallet(actor, id, address);
  }

  private async view(actor: Actor, id: string): Promise<OrganisationView> {
    return organisationView(await this.queries.organisation(actor, id));
  }
}
