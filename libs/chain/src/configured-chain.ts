import type { ChainConfig } from '#config';
import type { Tx } from '#persistence';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChainHead, type ChainPosition } from './chain-head.js';
import { ChainProfile } from './chain-profile.js';
import type { Deployments } from './deployments.js';

const LOOK_FOR_REGISTRY_MS = 2_000;

@Injectable()
export class ConfiguredChainProfile extends ChainProfile implements OnApplicationBootstrap, OnApplicationShutdown {
  override readonly chainId: number;
  override readonly confirmations: number;
  override readonly clientRpcUrl: string | null;
  override readonly explorerUrl: string | null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    config: ChainConfig,
    private readonly deployments: Deployments,
    /** An embedded node may be named to clients: they run on the same machine. */
    embeddedUrl: string | null,
  ) {
    super();
    this.chainId = config.chainId;
    this.confirmations = config.confirmations;
    this.clientRpcUrl = config.clientRpcUrl ?? embeddedUrl;
    this.explorerUrl = config.explorerUrl;
  }

  override get registry(): string | null {
    return this.deployments.known?.registry ?? null;
  }

  /** The registry may be deployed while this process runs, by another one: looked for until it is there. */
  async onApplicationBootstrap(): Promise<void> {
    await this.look();
    if (this.registry === null) this.timer = setInterval(() => void this.look(), LOOK_FOR_REGISTRY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    await this.deployments.deployment().catch(() => null);
    if (this.registry !== null) clearInterval(this.timer);
  }
}

/** Reads the indexer's cursor. */
export class ProjectedChainHead extends ChainHead {
  constructor(private readonly chainId: number) {
    super();
  }

  override async position(tx: Tx): Promise<ChainPosition> {
    const [row] = await tx.sql<{ head_number: string; final_number: string }>(
      'select head_number, final_number from chain.cursor where chain_id = $1',
      [this.chainId],
    );
    return row ? { head: Number(row.head_number), final: Number(row.final_number) } : { head: -1, final: -1 };
  }

  override async isMadeAnew(tx: Tx): Promise<boolean> {
    const found = await tx.sql(
      `select from chain.cursor c where c.chain_id = $1 and (c.anew or not exists (select from chain.block b where b.chain_id = c.chain_id))`,
      [this.chainId],
    );
    return found.length > 0;
  }
}
