import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CreatedAt, CurrentActor, Edits, HasETag, IfMatch, INVALID_CONTENT, pageView } from '#http';
import { type Actor, beyondOwnGrants, type ExpectedState, roleRequired } from '#kernel';
import { ChangeOrganisation } from './change-organisation.js';
import { CreateOrganisation } from './create-organisation.js';
import {
  notYourOrganisation,
  organisationNameTaken,
  organisationNotFound,
  quotaExceeded,
  siteInUse,
  siteNotFound,
  walletInUse,
  walletNotFound,
  walletTaken,
} from '../errors.js';
import {
  OrgWalletBody,
  OrganisationBody,
  OrganisationChange,
  OrganisationPageView,
  OrganisationQuery,
  OrganisationView,
  SiteBody,
  organisationView,
} from './organisations.dto.js';
import { OrganisationsQueries } from './organisations.queries.js';

const OWN = { roles: ['ADMIN', 'TENANT_ADMIN'] } as const;
const ownProblems = [roleRequired, notYourOrganisation, beyondOwnGrants, organisationNotFound] as const;

/** Companies of the tenant's value chain. Every member reads them; the tenant's administrator and the organisation's own ADMIN change them. */
@ApiTags('Organisations')
@Controller('api/v1/organisations')
export class OrganisationsController {
  constructor(
    private readonly organisations: OrganisationsQueries,
    private readonly createOrganisation: CreateOrganisation,
    private readonly changeOrganisation: ChangeOrganisation,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'Organisations by name' })
  @ApiOkResponse({ type: OrganisationPageView })
  async list(@CurrentActor() actor: Actor, @Query() { search = '', page, limit }: OrganisationQuery): Promise<OrganisationPageView> {
    return pageView(await this.organisations.list(actor, search, { page, limit }), organisationView);
  }

  @Get(':id')
  @Access('member')
  @ApiOperation({ summary: 'One organisation' })
  @ApiOkResponse({ type: OrganisationView })
  @ApiProblems(organisationNotFound)
  @HasETag()
  get(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<OrganisationView> {
    return this.view(actor, id);
  }

  @Post()
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ summary: 'Create an organisation' })
  @ApiCreatedResponse({ type: OrganisationView })
  @CreatedAt(({ id }: OrganisationView) => `/api/v1/organisations/${id}`)
  @ApiProblems(roleRequired, organisationNameTaken, quotaExceeded, INVALID_CONTENT)
  async create(@CurrentActor() actor: Actor, @Body() body: OrganisationBody): Promise<OrganisationView> {
    return this.view(actor, (await this.createOrganisation.create(actor.tenantId, body, actor)).id);
  }

  @Patch(':id')
  @Access(OWN)
  @ApiOperation({ summary: 'Change the profile; absent fields do not change' })
  @ApiOkResponse({ type: OrganisationView })
  @ApiProblems(...ownProblems, organisationNameTaken, INVALID_CONTENT)
  @HasETag()
  @Edits()
  async change(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: OrganisationChange,
    @IfMatch() expected: ExpectedState,
  ): Promise<OrganisationView> {
    await this.changeOrganisation.change(actor, id, body, expected);
    return this.view(actor, id);
  }

  @Post(':id/sites')
  @Access(OWN)
  @ApiOperation({ summary: 'Add a site' })
  @ApiCreatedResponse({ type: OrganisationView })
  @CreatedAt(({ id }: OrganisationView) => `/api/v1/organisations/${id}`)
  @ApiProblems(...ownProblems, quotaExceeded, INVALID_CONTENT)
  async addSite(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: SiteBody): Promise<OrganisationView> {
    await this.changeOrganisation.addSite(actor, id, body);
    return this.view(actor, id);
  }

  @Delete(':id/sites/:siteId')
  @HttpCode(204)
  @Access(OWN)
  @ApiOperation({ summary: 'Remove a site without wallets' })
  @ApiNoContentResponse({ description: 'Removed' })
  @ApiProblems(...ownProblems, siteNotFound, siteInUse)
  removeSite(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('siteId') siteId: string): Promise<void> {
    return this.changeOrganisation.removeSite(actor, id, siteId);
  }

  @Post(':id/wallets')
  @Access(OWN)
  @ApiOperation({ summary: 'Bind a wallet to the organisation or to one of its sites' })
  @ApiCreatedResponse({ type: OrganisationView })
  @CreatedAt(({ id }: OrganisationView) => `/api/v1/organisations/${id}`)
  @ApiProblems(...ownProblems, siteNotFound, walletTaken, quotaExceeded, INVALID_CONTENT)
  async addWallet(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: OrgWalletBody): Promise<OrganisationView> {
    await this.changeOrganisation.addWallet(actor, id, body);
    return this.view(actor, id);
  }

  @Delete(':id/wallets/:address')
  @HttpCode(204)
  @Access(OWN)
  @ApiOperation({ summary: 'Unbind a wallet that is not the wallet of a member' })
  @ApiNoContentResponse({ description: 'Unbound' })
  @ApiProblems(...ownProblems, walletNotFound, walletInUse)
  removeWallet(@CurrentActor() actor: Actor, @Param('id') id: string, @Param('address') address: string): Promise<void> {
    return this.changeOrganisation.removeWallet(actor, id, address);
  }

  private async view(actor: Actor, id: string): Promise<OrganisationView> {
    return organisationView(await this.organisations.get(actor, id));
  }
}
