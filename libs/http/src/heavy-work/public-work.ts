import { network } from '../limits/rate-limits.js';
import { type HeavyCaller, HeavyWork, type HeavyWorkOptions } from './heavy-work.js';

/** Who reads something that needs no credential. */
export interface PublicReader {
  /** Whose data it is; empty where that is not known. */
  readonly tenant: string;
  /** Of the client. */
  readonly ip: string;
}

/**
 * The heavy work of the public: passports that are composed, evidence and labels. It has slots of its own, so that neither the public nor the
 * members of tenants wait for each other. The passports of one tenant have half of the slots and of the places in the queue, and so has one
 * address over all tenants (docs/explanation/limits.md#heavy-requests).
 */
export class PublicWork {
  private readonly byAddress: HeavyWork;
  private readonly byTenant: HeavyWork;

  constructor(options: HeavyWorkOptions) {
    this.byTenant = new HeavyWork(options);
    this.byAddress = new HeavyWork({ ...options, slots: Number.POSITIVE_INFINITY, slotsPerTenant: this.byTenant.slotsPerTenant });
  }

  get slots(): number {
    return this.byTenant.slots;
  }

  /** What runs, and what waits, in this process. */
  get load(): { readonly running: number; readonly waiting: number } {
    const { running, waiting } = this.byTenant.load;
    return { running, waiting: waiting + this.byAddress.load.waiting };
  }

  /**
   * @param gone aborts when the reader has gone: it leaves the queue
   * @returns gives the slot back @throws DomainError 429 `too_many_heavy_requests`, 503 `service_busy`
   */
  async enter({ tenant, ip }: PublicReader, gone: AbortSignal): Promise<() => void> {
    const address = network(ip);
    const leaveAddress = await this.byAddress.enter({ tenant: address, principal: tenant } satisfies HeavyCaller, gone);
    try {
      const leaveTenant = await this.byTenant.enter({ tenant, principal: address }, gone);
      return () => {
        leaveTenant();
        leaveAddress();
      };
    } catch (error) {
      leaveAddress();
      throw error;
    }
  }

  /** Runs `work` in a slot, also when the reader goes meanwhile: others may wait for the same. @throws as `enter` */
  async run<T>(reader: PublicReader, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(reader, new AbortController().signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }
}
