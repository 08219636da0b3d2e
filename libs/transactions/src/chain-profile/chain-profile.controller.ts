import { ChainProfile, Deployments } from '#chain';
import { tenantLotsAbi } from '#contracts';
import { Access, CurrentActor, Tenants } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChainView } from './chain-profile.dto.js';

@ApiTags('Transactions')
@Controller('api/v1/chain')
export class ChainProfileController {
  constructor(
    private readonly chain: ChainProfile,
    private readonly tenants: Tenants,
    private readonly deployments: Deployments,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: "The chain and the tenant's contract on it" })
  @ApiOkResponse({ type: ChainView })
  async get(@CurrentActor() actor: Actor): Promise<ChainView> {
    const [{ contract, contractVersion }, accountFactory] = await Promise.all([
      this.tenants.byId(actor.tenantId),
      this.deployments.accountFactory(),
    ]);
    const { chainId, clientRpcUrl, registry, confirmations, explorerUrl } = this.chain;
    const contracts = { registry, accountFactory, contract, contractVersion, abi: tenantLotsAbi };
    return { chainId, rpcUrl: clientRpcUrl, ...contracts, confirmations, explorerUrl };
  }
}
