import { describe, expect, it } from '@jest/globals';
import { DatabaseClock } from './database-clock.js';

/** Three clocks that a test moves: the machine's, the monotonic one of the process and the database's. */
class Clocks {
  machine = 1_000_000;
  monotonic = 0;
  database = 940_000;
  readonly clock = new DatabaseClock(
    () => this.machine,
    () => this.monotonic,
  );

  pass(ms: number): void {
    this.machine += ms;
    this.monotonic += ms;
    this.database += ms;
  }

  /** @param there and @param back how long the question and the answer are on their way */
  read(there = 1, back = 1): Promise<void> {
    return this.clock.read(() => {
      this.pass(there);
      const at = this.database;
      this.pass(back);
      return Promise.resolve([{ at }]);
    });
  }

  /** How wrong the clock is. */
  get error(): number {
    return this.clock.now().getTime() - this.database;
  }
}

describe('the clock of the database', () => {
  it("is the machine's before it was read", () => {
    const { clock } = new Clocks();
    expect(clock.now().getTime()).toBe(1_000_000);
    expect(clock.offsetMs).toBeNull();
    expect(clock.isDue).toBe(true);
  });

  it('shows the time of the database on a machine whose clock is a minute ahead', async () => {
    const clocks = new Clocks();
    await clocks.read();
    expect(clocks.error).toBe(0);
    expect(clocks.clock.offsetMs).toBe(60_000);
    clocks.pass(4_000);
    expect(clocks.error).toBe(0);
  });

  it('does not follow the clock of the machine when that is set, and asks again', async () => {
    const clocks = new Clocks();
    await clocks.read();
    clocks.machine += 3_600_000;
    expect(clocks.error).toBe(0);
    expect(clocks.clock.isDue).toBe(true);
    await clocks.read();
    expect(clocks.clock.isDue).toBe(false);
    expect(clocks.clock.offsetMs).toBe(3_660_000);
  });

  it('asks again after the process slept: its monotonic clock stood', async () => {
    const clocks = new Clocks();
    await clocks.read();
    clocks.machine += 10_000;
    clocks.database += 10_000;
    expect(clocks.clock.isDue).toBe(true);
    await clocks.read();
    expect(clocks.error).toBe(0);
  });

  it('asks again after five seconds, and keeps a quick answer rather than a slow one', async () => {
    const clocks = new Clocks();
    await clocks.read();
    clocks.pass(4_999);
    expect(clocks.clock.isDue).toBe(false);
    clocks.pass(1);
    expect(clocks.clock.isDue).toBe(true);
    await clocks.read(200, 0);
    expect(clocks.error).toBe(0);
    expect(clocks.clock.isDue).toBe(false);
  });

  it('follows a database whose clock was set, although the answer is slow', async () => {
    const clocks = new Clocks();
    await clocks.read();
    clocks.pass(5_000);
    clocks.database -= 30_000;
    await clocks.read(50, 50);
    expect(clocks.error).toBe(0);
  });
});
