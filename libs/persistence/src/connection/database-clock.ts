import { Clock } from '#kernel';

/** A reading this old is repeated by the next transaction. */
const READ_EVERY_MS = 5_000;
/** The process slept, or the clock of its machine was set: the reading before says nothing. */
const JUMP_MS = 50;
/** Clocks of machines run apart by up to so much. */
const DRIFT = 1e-4;

type Query = (text: string) => Promise<readonly { readonly at: number | string }[]>;

interface Reading {
  /** Milliseconds since the epoch, on the database's clock, when the monotonic clock of the process read zero. */
  readonly zero: number;
  /** The answer was on its way for twice as long. */
  readonly errorMs: number;
  readonly readAt: number;
  /** The machine's clock less the monotonic one, at that time. */
  readonly machineZero: number;
}

/**
 * The time of the database, which all processes share: leases, schedules and expiries in rows are written and compared with it, and the clock
 * of the machine decides nothing (docs/spec/reliability.md#clocks). It is asked when the pool opens and then by transactions that run anyway;
 * in between the monotonic clock of the process continues the last reading.
 */
export class DatabaseClock extends Clock {
  private reading: Reading | null = null;

  constructor(
    private readonly machine: () => number = Date.now,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    super();
  }

  override now(): Date {
    return new Date(this.reading === null ? this.machine() : this.reading.zero + this.monotonic());
  }

  /** The machine's clock less the database's, in milliseconds; null before the first reading. */
  get offsetMs(): number | null {
    return this.reading === null ? null : Math.round(this.machine() - this.now().getTime());
  }

  get isDue(): boolean {
    if (this.reading === null) return true;
    const at = this.monotonic();
    return at - this.reading.readAt >= READ_EVERY_MS || Math.abs(this.machine() - at - this.reading.machineZero) >= JUMP_MS;
  }

  /** @param query on a connection that is open: the time that connecting takes would count as the way of the answer */
  async read(query: Query): Promise<void> {
    const sent = this.monotonic();
    const [row] = await query('select (extract(epoch from clock_timestamp()) * 1000)::float8 as at');
    const readAt = this.monotonic();
    const fresh: Reading = {
      zero: Number(row!.at) - (sent + readAt) / 2,
      errorMs: (readAt - sent) / 2,
      readAt,
      machineZero: this.machine() - readAt,
    };
    this.reading = this.reading === null ? fresh : better(this.reading, fresh);
  }
}

/** A quick answer before is more exact than a slow one now, as long as both can be true. */
function better(before: Reading, fresh: Reading): Reading {
  const errorMs = before.errorMs + (fresh.readAt - before.readAt) * DRIFT;
  if (fresh.errorMs <= errorMs || Math.abs(fresh.zero - before.zero) > fresh.errorMs + errorMs) return fresh;
  return { ...before, errorMs, readAt: fresh.readAt, machineZero: fresh.machineZero };
}
