import { describe, expect, it } from '@jest/globals';
import { PublicWork } from './public-work.js';
import { SharedWork } from './shared-work.js';
import { tooManyHeavyRequests } from './heavy-work.js';

const here = new AbortController().signal;
const gate = (slots = 4, waitingPerTenant = 10, maxWaitMs = 3_000): PublicWork => new PublicWork({ slots, waitingPerTenant, maxWaitMs });
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `a1`: passports of tenant a, for the first address. */
class Readers {
  readonly begun: string[] = [];
  readonly leaves = new Map<string, () => void>();
  constructor(private readonly work: PublicWork) {}

  async enter(...names: readonly string[]): Promise<void> {
    for (const name of names)
      void this.work.enter({ tenant: name[0]!, ip: `198.51.100.${name[1]}` }, here).then(
        (leave) => {
          this.begun.push(name);
          this.leaves.set(name, leave);
        },
        () => undefined, // still waiting at the end of its test
      );
    await settled();
  }
}

describe('the work of the public', () => {
  it('for one address has half of the slots, over the passports of all tenants', async () => {
    const readers = new Readers(gate());
    await readers.enter('a1', 'b1', 'c1', 'd2');
    expect(readers.begun).toEqual(['a1', 'b1', 'd2']);
    readers.leaves.get('b1')!();
    await settled();
    expect(readers.begun).toEqual(['a1', 'b1', 'd2', 'c1']);
  });

  it('on the passports of one tenant has half of the slots, for all addresses', async () => {
    const readers = new Readers(gate());
    await readers.enter('a1', 'a2', 'a3', 'b4');
    expect(readers.begun).toEqual(['a1', 'a2', 'b4']);
  });

  it('counts an IPv6 address by its network', async () => {
    const work = gate(2);
    await work.enter({ tenant: 'a', ip: '2001:db8::1' }, here);
    void work.enter({ tenant: 'b', ip: '2001:db8::2' }, here).catch(() => undefined);
    await settled();
    expect(work.load).toEqual({ running: 1, waiting: 1 });
  });

  it('is refused beyond the places of an address, and only this address', async () => {
    const work = gate(2, 4);
    const readers = new Readers(work);
    await readers.enter('a1', 'a1', 'a1');
    await expect(work.enter({ tenant: 'a', ip: '198.51.100.1' }, here)).rejects.toMatchObject({ code: 'too_many_heavy_requests' });
    await readers.enter('b2');
    expect(readers.begun).toEqual(['a1', 'b2']);
  });

  it('gives the place of the address back where the passports of the tenant are refused', async () => {
    const work = gate(2, 10, 20);
    await new Readers(work).enter('a1');
    await expect(work.enter({ tenant: 'a', ip: '198.51.100.2' }, here)).rejects.toMatchObject({ code: 'service_busy' });
    expect(work.load).toEqual({ running: 1, waiting: 0 });
    (await work.enter({ tenant: 'b', ip: '198.51.100.2' }, here))();
    expect(work.load).toEqual({ running: 1, waiting: 0 });
  });

  it('ends its slot with the work, also when that fails', async () => {
    const work = gate();
    await expect(work.run({ tenant: 'a', ip: '::1' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await work.run({ tenant: 'a', ip: '::1' }, () => Promise.resolve(7))).toBe(7);
    expect(work.load).toEqual({ running: 0, waiting: 0 });
  });
});

describe('shared work', () => {
  it('is done once for all who ask meanwhile', async () => {
    const shared = new SharedWork<string, number>();
    let done = 0;
    const work = (): Promise<number> => Promise.resolve(++done);
    expect(await Promise.all([shared.run('a', work), shared.run('a', work), shared.run('b', work)])).toEqual([1, 1, 2]);
    expect(await shared.run('a', work)).toBe(3);
  });

  it('is done for the others when the first one finds no room, and fails for all when it fails', async () => {
    const shared = new SharedWork<string, number>();
    const refused = shared.run('a', () => Promise.reject(tooManyHeavyRequests(1)));
    const others = [1, 2, 3].map((n) => shared.run('a', () => Promise.resolve(n)));
    await expect(refused).rejects.toMatchObject({ code: 'too_many_heavy_requests' });
    expect(await Promise.all(others)).toEqual([1, 1, 1]);
    const failed = shared.run('a', () => Promise.reject(new Error('broken')));
    await expect(shared.run('a', () => Promise.resolve(1))).rejects.toThrow('broken');
    await expect(failed).rejects.toThrow('broken');
  });
});
