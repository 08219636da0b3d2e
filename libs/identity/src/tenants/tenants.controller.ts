import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, CHAIN_UNAVAILABLE, CreatedAt, CurrentActor, INVALID_CONTENT, PageQuery, pageView } from '#http';
import { type Actor, DomainError, isChecksumAddress } from '#kernel';
import { UnitOfWork } from '#persistence';
import { CurrentBearer } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';
import type { AuditActor } from '../audit/audit.js';
import { Quotas } from '../contract.js';
import {
  bearerRequired,
  contractExists,
  emailTaken,
  noRegistry,
  passwordQueueFull,
  platformAdminRequired,
  slugTaken,
  tenantNotFound,
  unknownTier,
} from '../errors.js';
import { ChangeTenant } from './change-tenant.js';
import { OpenTenant, PrepareContract } from './open-tenant.js';
import {
  ContractBody,
  ContractPreparedView,
  OpenedTenantView,
  SuspendBody,
  TenantBody,
  TenantPageView,
  TenantView,
  TierBody,
  UsageView,
  contractPreparedView,
  openedTenantView,
  tenantView,
  usageView,
} from './tenants.dto.js';
import { TenantsQueries } from './tenants.queries.js';

/** The registry has this tenant already, or the sender does not own it. */
const REGISTRY_REFUSES = [
  { code: 'tenant_exists', status: 409 },
  { code: 'tx_would_revert', status: 422 },
];

/** Tenants of the service, for its platform administrators. A tenant is named by slug or UUID. */
@ApiTags('Tenants')
@ApiProblems(bearerRequired, platformAdminRequired)
@Access('platform')
@Controller('api/v2/tenants')
export class TenantsController {
  constructor(
    private readonly openTenant: OpenTenant,
    private readonly prepareContract: PrepareContract,
    private readonly changeTenant: ChangeTenant,
    private readonly tenants: TenantsQueries,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Tenants by slug' })
  @ApiOkResponse({ type: TenantPageView })
  async list(@Query() query: PageQuery): Promise<TenantPageView> {
    return pageView(await this.tenants.list(query), tenantView);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One tenant' })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async get(@Param('id') id: string): Promise<TenantView> {
    return tenantView(await this.tenants.get(id));
  }

  @Post()
  @ApiOperation({
    summary:
      "Create a tenant with its first administrator, and prepare the transaction that creates its contract; the registry's owner signs it",
  })
  @ApiCreatedResponse({ type: OpenedTenantView })
  @CreatedAt(({ tenant }: OpenedTenantView) => `/api/v2/tenants/${tenant.tenantId}`)
  @ApiProblems(slugTaken, unknownTier, emailTaken, noRegistry, passwordQueueFull, INVALID_CONTENT, CHAIN_UNAVAILABLE, ...REGISTRY_REFUSES)
  async open(@CurrentBearer() caller: BearerPrincipal, @Body() { from, ...body }: TenantBody): Promise<OpenedTenantView> {
    const opened = await this.openTenant.open(body, ownerOf(from), platform(caller));
    return openedTenantView(opened);
  }

  @Post(':id/contract/prepare')
  @HttpCode(200)
  @ApiOperation({ summary: "Prepare the transaction that creates the tenant's contract again, when it was lost" })
  @ApiOkResponse({ type: ContractPreparedView })
  @ApiProblems(tenantNotFound, contractExists, noRegistry, INVALID_CONTENT)
  async contract(@Param('id') id: string, @Body() { wallet, from }: ContractBody): Promise<ContractPreparedView> {
    return contractPreparedView(await this.prepareContract.prepare(id, wallet, ownerOf(from)));
  }

  @Post(':id/suspend')
  @HttpCode(200)
  @ApiOperation({ summary: "Refuse the tenant's members and keys, at once" })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async suspend(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string, @Body() { reason }: SuspendBody): Promise<TenantView> {
    return tenantView(await this.tenants.get(await this.changeTenant.suspend(id, platform(caller), reason ?? null)));
  }

  @Post(':id/tier')
  @HttpCode(200)
  @ApiOperation({ operationId: 'changeTenantTier', summary: "Change the tenant's tier of rates and quotas" })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound, unknownTier)
  async tier(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string, @Body() { tier }: TierBody): Promise<TenantView> {
    return tenantView(await this.tenants.get(await this.changeTenant.changeTier(id, tier, platform(caller))));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Accept the members and keys of a suspended tenant again' })
  @ApiOkResponse({ type: TenantView })
  @ApiProblems(tenantNotFound)
  async resume(@CurrentBearer() caller: BearerPrincipal, @Param('id') id: string): Promise<TenantView> {
    return tenantView(await this.tenants.get(await this.changeTenant.resume(id, platform(caller))));
  }
}

const platform = ({ userId }: BearerPrincipal): AuditActor => ({ kind: 'platform', id: userId });

/** The registry's owner need not be a member, so any EIP-55 address is accepted. @throws DomainError 400 */
function ownerOf(from: string | undefined): string | null {
  if (from === undefined || isChecksumAddress(from)) return from ?? null;
  const message = 'from must be an address in its EIP-55 form.';
  throw new DomainError('malformed_request', 400, message, { errors: [{ pointer: '/from', code: 'invalid_address', message }] });
}

@ApiTags('Usage')
@Controller('api/v1/usage')
export class UsageController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly quotas: Quotas,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'What the tenant has used, and what its tier allows' })
  @ApiOkResponse({ type: UsageView })
  async usage(@CurrentActor() actor: Actor): Promise<UsageView> {
    return usageView(await this.unitOfWork.read(actor, (tx) => this.quotas.usage(tx)));
  }
}
