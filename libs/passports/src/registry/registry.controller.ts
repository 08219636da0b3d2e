import { ApiProblems, INVALID_CONTENT } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  registryNotSet,
  registryUrlInvalid,
  sealCertificateExpired,
  sealCertificateMalformed,
  sealCertificateNotYetValid,
  sealChainBroken,
  sealKeyMalformed,
  sealKeyMismatch,
  sealKeyUnsupported,
} from '../errors.js';
import { ChangeRegistry } from './change-registry.js';
import {
  MOST_IN_BATCH,
  RegistrationBatchView,
  RegistrationOutcomesBody,
  RegistrationPageView,
  RegistrationQuery,
  RegistrySettingsBody,
  RegistrySettingsView,
  SettledBatchView,
  batchView,
  outcomesOf,
  registrationView,
  registrySettingsView,
} from './registry.dto.js';
import { RegistryQueries } from './registry.queries.js';
import { SettleBatch } from './settle-batch.js';

@ApiTags('Passports')
@Controller('api/v1')
@Access({ roles: ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] })
export class RegistryController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly registry: RegistryQueries,
    private readonly changeRegistry: ChangeRegistry,
    private readonly settleBatch: SettleBatch,
    private readonly clock: Clock,
  ) {}

  @Get('registry-settings')
  @ApiOperation({ operationId: 'readRegistrySettings', summary: 'Where and with which certificate passports are registered' })
  @ApiOkResponse({ type: RegistrySettingsView })
  @ApiProblems(registryNotSet)
  async settings(@CurrentActor() actor: Actor): Promise<RegistrySettingsView> {
    const setting = await this.work.read(actor, (tx) => this.registry.setting(tx));
    if (setting === null) throw registryNotSet();
    return registrySettingsView(setting, this.clock.now());
  }

  @Put('registry-settings')
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({
    operationId: 'changeRegistrySettings',
    summary: 'Register the passports of the tenant, with a seal of its own',
    description:
      'Every passport gets an entry, and one more for each new version and when it is withdrawn. What was refused before is sealed and sent again.',
  })
  @ApiOkResponse({ type: RegistrySettingsView })
  @ApiProblems(registryUrlInvalid, sealCertificateMalformed, sealKeyMalformed, sealKeyMismatch, sealKeyUnsupported)
  @ApiProblems(sealChainBroken, sealCertificateExpired, sealCertificateNotYetValid)
  async change(@CurrentActor() actor: Actor, @Body() body: RegistrySettingsBody): Promise<RegistrySettingsView> {
    const { url = null, backUpUrl = null, certificateChain, sealKey } = body;
    const setting = await this.changeRegistry.change(actor, { url, backUpUrl, certificateChain, sealKey }, this.clock);
    return registrySettingsView(setting, this.clock.now());
  }

  @Delete('registry-settings')
  @HttpCode(204)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({ operationId: 'removeRegistrySettings', summary: 'Register nothing from now on, and forget the key of the seal' })
  @ApiNoContentResponse({ description: 'Removed' })
  remove(@CurrentActor() actor: Actor): Promise<void> {
    return this.changeRegistry.remove(actor);
  }

  @Get('registrations')
  @ApiOperation({
    operationId: 'listRegistrations',
    summary: 'Registration entries of passports, newest first: waiting, registered, or refused with the reason',
  })
  @ApiOkResponse({ type: RegistrationPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: RegistrationQuery): Promise<RegistrationPageView> {
    const { nextCursor: _, ...page } = await this.work.read(actor, (tx) => this.registry.list(tx, query, query));
    return { ...page, data: page.data.map(registrationView) };
  }

  @Get('registrations/batch')
  @ApiOperation({
    operationId: 'readRegistrationBatch',
    summary: 'The entries that wait, with their seals, as one file',
    description: `The oldest ${MOST_IN_BATCH.toLocaleString('en')}. It is for a registry that takes files; the entries wait until their outcomes are posted, or a registry that is set has them.`,
  })
  @ApiOkResponse({ type: RegistrationBatchView })
  async batch(@CurrentActor() actor: Actor): Promise<RegistrationBatchView> {
    return batchView(await this.work.read(actor, (tx) => this.registry.waiting(tx, MOST_IN_BATCH)));
  }

  @Post('registrations/outcomes')
  @HttpCode(200)
  @Access({ roles: ['COMPLIANCE', 'TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({
    operationId: 'settleRegistrations',
    summary: 'What a registry said of the entries of a batch file',
    description:
      'All outcomes are kept, or none. Refused by pointer: `registration_not_waiting`, `outcome_unclear`. The next file has what still waits.',
  })
  @ApiOkResponse({ type: SettledBatchView })
  @ApiProblems(INVALID_CONTENT)
  settle(@CurrentActor() actor: Actor, @Body() body: RegistrationOutcomesBody): Promise<SettledBatchView> {
    return this.settleBatch.settle(actor, outcomesOf(body));
  }
}
