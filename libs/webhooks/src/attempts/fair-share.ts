/** A subscription with something due, and how many more attempts it may have in flight. */
export interface Waiting {
  readonly tenantId: string;
  readonly room: number;
}

interface Tenant {
  held: number;
  /** Places in the list of those that still have room; the next to take is the first. */
  readonly queue: number[];
}

/**
 * How many of the free slots each subscription may take. Slots go to tenants one at a time, to those that hold the fewest first, and to
 * each only while it holds fewer than are free: of a hundred slots one tenant alone gets fifty, two get thirty-three each, and however
 * slow their receivers are, the next tenant finds some left. Within a tenant its subscriptions alternate.
 * @param held slots that tenants hold already
 */
export function fairShares(waiting: readonly Waiting[], slots: number, held: ReadonlyMap<string, number>): number[] {
  const shares = waiting.map(() => 0);
  const tenants = tenantsOf(waiting, held);
  for (let free = slots, level = 0; tenants.length > 0; level++) {
    for (const tenant of tenants.filter((each) => each.held <= level)) {
      if (tenant.held >= free) return shares; // the tenants after it hold as much
      const place = tenant.queue.shift()!;
      tenant.held++;
      free--;
      if (++shares[place]! < waiting[place]!.room) tenant.queue.push(place);
      if (tenant.queue.length === 0) tenants.splice(tenants.indexOf(tenant), 1);
    }
  }
  return shares;
}

function tenantsOf(waiting: readonly Waiting[], held: ReadonlyMap<string, number>): Tenant[] {
  const tenants = new Map<string, Tenant>();
  for (const [place, { tenantId, room }] of waiting.entries()) {
    if (room < 1) continue;
    const tenant = tenants.get(tenantId) ?? { held: held.get(tenantId) ?? 0, queue: [] };
    tenants.set(tenantId, tenant);
    tenant.queue.push(place);
  }
  return [...tenants.values()];
}
