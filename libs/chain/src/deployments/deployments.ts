import { checksumAddress } from '#kernel';
import type { UnitOfWork } from '#persistence';
import type { ChainConfig } from '#config';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

export interface Deployment {
  /** TenantRegistry, EIP-55. */
  readonly registry: string;
  /** The indexer starts at this block. */
  readonly fromBlock: number;
}

/** The contracts that this service uses: the configured ones, or else those recorded in the database. */
export class Deployments {
  private readonly configured: string | null;
  private readonly configuredFactory: string | null;
  private last: Deployment | null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainId: number,
    registry: string | null,
    accountFactory: string | null = null,
  ) {
    this.configured = registry === null ? null : checksumAddress(registry);
    this.configuredFactory = accountFactory === null ? null : checksumAddress(accountFactory);
    this.last = this.configured === null ? null : { registry: this.configured, fromBlock: 0 };
  }

  /** The result of the last read, without a query. */
  get known(): Deployment | null {
    return this.last;
  }

  async registry(): Promise<string | null> {
    return (await this.deployment())?.registry ?? null;
  }

  /** A configured registry that is also recorded has the recorded first block; otherwise it starts at genesis. */
  async deployment(): Promise<Deployment | null> {
    const [row] = await this.unitOfWork.asSystem((tx) =>
      tx.sql<{ registry: string; from_block: string }>('select registry, from_block from chain.deployment where chain_id = $1', [
        this.chainId,
      ]),
    );
    const recorded = row ? { registry: row.registry, fromBlock: Number(row.from_block) } : null;
    if (this.configured === null || recorded?.registry === this.configured) this.last = recorded;
    return this.last;
  }

  /** Stores a deployed registry; a second one replaces it. `fromBlock` is the block of its deployment, if known. */
  async record(registry: string, fromBlock = 0): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) =>
      tx.sql(
        `insert into chain.deployment (chain_id, registry, from_block) values ($1, $2, $3)
         on conflict (chain_id) do update set registry = excluded.registry, from_block = excluded.from_block, recorded_at = now()`,
        [this.chainId, checksumAddress(registry), fromBlock],
      ),
    );
    await this.deployment();
  }

  /** PasskeyAccountFactory, EIP-55, which makes new accounts; null until one is deployed or configured. */
  async accountFactory(): Promise<string | null> {
    if (this.configuredFactory !== null) return this.configuredFactory;
    const [row] = await this.unitOfWork.readAsSystem((tx) =>
      tx.sql<{ address: string }>(
        'select address from chain.account_factory where chain_id = $1 order by recorded_at desc, address limit 1',
        [this.chainId],
      ),
    );
    return row?.address ?? null;
  }

  /** Stores a deployed factory. New accounts are its own; those of the ones before stay as they are. */
  async recordAccountFactory(address: string): Promise<void> {
    await this.unitOfWork.writeAsSystem((tx) =>
      tx.sql(
        `insert into chain.account_factory (chain_id, address) values ($1, $2)
         on conflict (chain_id, address) do update set recorded_at = now()`,
        [this.chainId, checksumAddress(address)],
      ),
    );
  }
}

const REGISTRY_POLL_MS = 2_000;

/** The facts of the chain that this service works on. */
@Injectable()
export class ChainProfile implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly chainId: number;
  /** Number of blocks that make a transaction final, its own block included. */
  readonly confirmations: number;
  /** Where clients may send signed transactions; null when the operator does not publish an address. */
  readonly clientRpcUrl: string | null;
  /** Contains `{tx}` in the place of the transaction hash. */
  readonly explorerUrl: string | null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    config: ChainConfig,
    private readonly deployments: Deployments,
    /** The URL of an embedded node may be given to clients: they run on the same machine. */
    embeddedUrl: string | null,
  ) {
    this.chainId = config.chainId;
    this.confirmations = config.confirmations;
    this.clientRpcUrl = config.clientRpcUrl ?? embeddedUrl;
    this.explorerUrl = config.explorerUrl;
  }

  /** TenantRegistry, EIP-55; null until one is deployed or configured. */
  get registry(): string | null {
    return this.deployments.known?.registry ?? null;
  }

  /** Another process may deploy the registry while this one runs, so it is polled for until it exists. */
  async onApplicationBootstrap(): Promise<void> {
    await this.readRegistry();
    if (this.registry === null) this.timer = setInterval(() => void this.readRegistry(), REGISTRY_POLL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async readRegistry(): Promise<void> {
    await this.deployments.deployment().catch(() => null);
    if (this.registry !== null) clearInterval(this.timer);
  }
}
