import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, INVALID_CONTENT, PageQuery, pageView } from '#http';
import { DomainError, isChecksumAddress } from '#kernel';
import { ForgetPassword } from '../../application/forget-password.js';
import { OpenTenant } from '../../application/open-tenant.js';
import { ChangeTier } from '../../application/change-tier.js';
import { SuspendTenant } from '../../application/suspend-tenant.js';
import type { AuditActor } from '../../domain/audit.js';
import {
  bearerRequired,
  contractExists,
  emailTaken,
  noRegistry,
  platformAdminRequired,
  slugTaken,
  tenantNotFound,
  unknownTier,
} from '../../domain/errors.js';
import { AdministrationQueries } from '../persistence/administration-queries.js';
import { ContractBody, SuspendBody, TierBody, TenantBody } from './administration.dto.js';
import {
  ContractPreparedView,
  OpenedTenantView,
  TenantPageView,
  TenantView,
  contractPreparedView,
  openedTenantView,
  tenantView,
} from './administration.view.js';
import { type BearerPrincipal, CurrentBearer } from './current-principal.js';

/** Tenants of the service, for its platform administrators. A tenant is named by slug or UUID. */
@ApiTags('Tenants')
@ApiProblems(bearerRequired, platformAdminRequired)
@Access('platform')
@Controller('api/v2/tenants')
export class TenantsController {
  constructor(
    private readonly openTenant: OpenTenant,
    private readonly suspendTenant: SuspendTenant,
    private readonly changeTier: ChangeTier,
    private readonly forgetPassword: ForgetPassword,
    private readonly queries: AdministrationQueries,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Tenants by slug' })
  @ApiOkResponse({ type: TenantPageView })
  async list(@Query() query: PageQuery): Promise<TenantPageView> {
    return pageView(await this.queries.platformTenants(query), tenantView);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One tenant' })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async get(@Param('id') id: string): Promise<TenantView> {
    return tenantView(await this.queries.platformTenant(id));
  }

  @Post()
  @ApiOperation({
    summary: "A new tenant with its first administrator, and the transaction that makes its contract: the registry's owner signs",
  })
  @ApiCreatedResponse({ type: OpenedTenantView })
  @ApiProblems(slugTaken, emailTaken, noRegistry, INVALID_CONTENT)
  async open(@CurrentBearer() caller: BearerPrincipal, @Body() { from, ...body }: TenantBody): Promise<OpenedTenantView> {
    const opened = await this.openTenant.open(body, ownerOf(from), platform(caller));
    if (opened.admin.mailboxToProve) this.forgetPassword.ask(opened.admin.mailboxToProve);
    return openedTenantView(opened);
  }

  @Post(':id/contract/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: "The transaction that makes the tenant's contract once more, where it did not land" })
  @ApiOkResponse({ type: ContractPreparedView })
  @ApiProblems(tenantNotFound, contractExists, noRegistry)
  async contract(@Param('id') id: string, @Body() { wallet, from }: ContractBody): Promise<ContractPreparedView> {
    return contractPreparedView(await this.openTenant.prepareContract(id, wallet, ownerOf(from)));
  }

  @Post(':id/suspend')
  @HttpCode(200)
  @ApiOperation({ summary: "Shut out the tenant's members and keys, at once" })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async suspend(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string, @Body() { reason }: SuspendBody): Promise<TenantView> {
    return tenantView(await this.queries.platformTenant(await this.suspendTenant.suspend(id, platform(caller), reason ?? null)));
  }

  @Post(':id/tier')
  @HttpCode(200)
  @ApiOperation({ summary: "Change the tenant's tier of rates and quotas" })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound, unknownTier)
  async tier(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string, @Body() { tier }: TierBody): Promise<TenantView> {
    return tenantView(await this.queries.platformTenant(await this.changeTier.change(id, tier, platform(caller))));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Let them in again' })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async resume(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string): Promise<TenantView> {
    return tenantView(await this.queries.platformTenant(await this.suspendTenant.resume(id, platform(caller))));
  }
}

const platform = ({ userId }: BearerPrincipal): AuditActor => ({ kind: 'platform', id: userId });

/** The registry's owner is no member of anything: any address is taken, in its EIP-55 form. @throws DomainError 400 */
function ownerOf(from: string | undefined): string | null {
  if (from === undefined || isChecksumAddress(from)) return from ?? null;
  const message = 'from must be an address in its EIP-55 form.';
  throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: '/from', code: 'invalid_address', message }] });
}
