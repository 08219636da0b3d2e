import { ChainProfile } from '#chain';
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
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: "The chain and the tenant's contract on it" })
  @ApiOkResponse({ type: ChainView })
  async get(@CurrentActor() actor: Actor): Promise<ChainView> {
    const { contract, contractVersion } = await this.tenants.byId(actor.tenantId);
    const { chainId, clientRpcUrl, registry, confirmations, explorerUrl } = this.chain;
    return { chainId, rpcUrl: clientRpcUrl, registry, contract, contractVersion, abi: tenantLotsAbi, confirmations, explorerUrl };
  }
}
