import { refusal } from '#kernel';
import { requestAborted } from '../problems/refusals.js';

export interface HeavyWorkOptions {
  /** Heavy requests that run at a time in this process. One tenant has at most half of them. */
  readonly slots: number;
  /** Default: half of them. */
  readonly slotsPerTenant?: number;
  /** Heavy requests of one tenant that may wait; those of one principal take at most half of the places. */
  readonly waitingPerTenant: number;
  /** How long one waits. */
  readonly maxWaitMs: number;
}

/** Who asks. */
export interface HeavyCaller {
  readonly tenant: string;
  readonly principal: string;
}

export const tooManyHeavyRequests = refusal(
  'too_many_heavy_requests',
  429,
  (waiting: number) => `${waiting} reports, exports or walks wait already. Send fewer at once.`,
  (waiting) => ({ limit: waiting, retryAfterSeconds: 5 }),
);
export const serviceBusy = refusal(
  'service_busy',
  503,
  (seconds: number) => `The service is busy: this request waited ${seconds} s. Try again later.`,
  () => ({ retryAfterSeconds: 10 }),
);

interface Waiting {
  readonly start: (leave: () => void) => void;
}

/** What waits, by principal; their requests begin alternately. */
class TenantQueue {
  /** In the order of their next turns. */
  private readonly lanes = new Map<string, Waiting[]>();
  size = 0;

  waitingOf(principal: string): number {
    return this.lanes.get(principal)?.length ?? 0;
  }

  add(principal: string, waiting: Waiting): void {
    const lane = this.lanes.get(principal);
    if (lane) lane.push(waiting);
    else this.lanes.set(principal, [waiting]);
    this.size++;
  }

  remove(principal: string, waiting: Waiting): void {
    const lane = this.lanes.get(principal)!;
    lane.splice(lane.indexOf(waiting), 1);
    if (lane.length === 0) this.lanes.delete(principal);
    this.size--;
  }

  /** Takes the next one. The other principals come first after it. */
  shift(): Waiting {
    const [principal, lane] = [...this.lanes][0]!;
    const next = lane.shift()!;
    this.lanes.delete(principal);
    if (lane.length > 0) this.lanes.set(principal, lane);
    this.size--;
    return next;
  }
}

/**
 * Shares the heavy work of a process among its tenants (docs/explanation/limits.md#heavy-requests): so many at a time, of one tenant at most
 * half, and the tenants that wait begin alternately, and so do the principals of a tenant. Each request uses one connection to the database, so
 * the rest of the pool is left for short requests.
 */
export class HeavyWork {
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  /** In the order of their next turns. */
  private readonly queues = new Map<string, TenantQueue>();

  constructor(private readonly options: HeavyWorkOptions) {}

  get slots(): number {
    return this.options.slots;
  }

  get slotsPerTenant(): number {
    return this.options.slotsPerTenant ?? Math.max(1, Math.floor(this.slots / 2));
  }

  /** Heavy requests that run, and that wait, in this process. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.running, waiting: [...this.queues.values()].reduce((sum, { size }) => sum + size, 0) };
  }

  /**
   * @param gone aborts when the caller has gone: it leaves the queue
   * @returns gives the slot back; more calls have no effect
   * @throws DomainError 429 `too_many_heavy_requests`, 503 `service_busy`
   */
  async enter(caller: HeavyCaller, gone: AbortSignal): Promise<() => void> {
    const { tenant, principal } = caller;
    const { waitingPerTenant } = this.options;
    if (this.hasRoom(tenant) && !this.queues.has(tenant)) return this.run(tenant);
    const queue = this.queues.get(tenant) ?? new TenantQueue();
    const ofPrincipal = Math.ceil(waitingPerTenant / 2);
    if (queue.waitingOf(principal) >= ofPrincipal) throw tooManyHeavyRequests(ofPrincipal);
    if (queue.size >= waitingPerTenant) throw tooManyHeavyRequests(waitingPerTenant);
    this.queues.set(tenant, queue);
    return this.wait(caller, queue, gone);
  }

  private wait({ tenant, principal }: HeavyCaller, queue: TenantQueue, gone: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
      };
      const giveUp = (error: Error): void => {
        done();
        queue.remove(principal, waiting);
        if (queue.size === 0) this.queues.delete(tenant);
        reject(error);
      };
      const leave = (): void => giveUp(requestAborted());
      const timer = setTimeout(() => giveUp(serviceBusy(this.options.maxWaitMs / 1_000)), this.options.maxWaitMs).unref();
      const waiting = {
        start: (end: () => void): void => {
          done();
          resolve(end);
        },
      };
      queue.add(principal, waiting);
      gone.addEventListener('abort', leave);
      if (gone.aborted) leave();
    });
  }

  private hasRoom(tenant: string): boolean {
    return this.running < this.slots && (this.runningOf.get(tenant) ?? 0) < this.slotsPerTenant;
  }

  private run(tenant: string): () => void {
    this.running++;
    this.runningOf.set(tenant, (this.runningOf.get(tenant) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.running--;
      const rest = this.runningOf.get(tenant)! - 1;
      if (rest > 0) this.runningOf.set(tenant, rest);
      else this.runningOf.delete(tenant);
      this.startNext();
    };
  }

  private startNext(): void {
    for (const [tenant, queue] of this.queues) {
      if (!this.hasRoom(tenant)) continue;
      const next = queue.shift();
      // The others come first the next time.
      this.queues.delete(tenant);
      if (queue.size > 0) this.queues.set(tenant, queue);
      next.start(this.run(tenant));
      return;
    }
  }
}
