import { checksumAddress } from '#kernel';
import type { UnitOfWork } from '#persistence';

export interface Deployment {
  /** TenantRegistry, EIP-55. */
  readonly registry: string;
  /** The projection begins here. */
  readonly fromBlock: number;
}

/** Which registry this service works with: the configured one, else the one recorded in the database. */
export class Deployments {
  private last: Deployment | null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly chainId: number,
    configured: string | null,
  ) {
    this.configured = configured === null ? null : checksumAddress(configured);
    this.last = this.configured === null ? null : { registry: this.configured, fromBlock: 0 };
  }

  private readonly configured: string | null;

  /** What was read last, without asking the database again. */
  get known(): Deployment | null {
    return this.last;
  }

  async registry(): Promise<string | null> {
    return (await this.deployment())?.registry ?? null;
  }

  /** A configured registry that was recorded too keeps the recorded first block; else its blocks count from genesis. */
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

  /** Remembers a registry that was deployed; a second one replaces it. `fromBlock` is its deployment's block where known. */
  async record(registry: string, fromBlock = 0): Promise<void> {
    await this.unitOfWork.asSystem((tx) =>
      tx.sql(
        `insert into chain.deployment (chain_id, registry, from_block) values ($1, $2, $3)
         on conflict (chain_id) do update set registry = excluded.registry, from_block = excluded.from_block, recorded_at = now()`,
        [this.chainId, checksumAddress(registry), fromBlock],
      ),
    );
    await this.deployment();
  }
}
