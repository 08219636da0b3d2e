import type { TrackedStatus } from './tracked-transaction.js';

export interface TrackedFilter {
  readonly status?: TrackedStatus;
  readonly type?: string;
  /** By `submittedAt`: from this moment on. */
  readonly from?: Date;
  /** Before this moment. */
  readonly to?: Date;
}

export interface Owner {
  readonly kind: 'user' | 'api_key';
  readonly id: string;
}

/** Newest first; after a place in the list, or by page number. */
export type TrackedPlace = { readonly after: { readonly submittedAt: Date; readonly id: string } } | { readonly page: number };

/** Some rows of the table; $1 is the tenant. */
export interface TrackedRows {
  readonly from: string;
  readonly parameters: readonly unknown[];
}

export interface TrackedList {
  readonly page: TrackedRows;
  readonly all: TrackedRows;
}

export const ofId = (tenantId: string, id: string): TrackedRows => ({
  from: 'transactions.tracked where tenant_id = $1 and id = $2',
  parameters: [tenantId, id],
});

/** Whether it is tracked or not. */
export const ofHash = (tenantId: string, txHash: string): TrackedRows => ({
  from: '(select $2::text as tx_hash) asked',
  parameters: [tenantId, txHash],
});

/** Of one owner, newest first. */
export function listOf(
  { tenantId, kind, id }: Owner & { readonly tenantId: string },
  { status, type, from, to }: TrackedFilter,
  place: TrackedPlace,
  limit: number,
): TrackedList {
  const parameters: unknown[] = [tenantId, kind, id];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const conditions = ['tenant_id = $1', 'owner_kind = $2', 'owner_id = $3'];
  const add = (condition: string, value: unknown): void => {
    if (value !== undefined) conditions.push(`${condition} ${parameter(value)}`);
  };
  add('status =', status);
  add('type =', type);
  add('submitted_at >=', from);
  add('submitted_at <', to);
  const all = { from: `transactions.tracked where ${conditions.join(' and ')}`, parameters: [...parameters] };
  if ('after' in place) conditions.push(`(submitted_at, id) < (${parameter(place.after.submittedAt)}, ${parameter(place.after.id)})`);
  const end = `limit ${parameter(limit)} offset ${parameter('page' in place ? (place.page - 1) * limit : 0)}`;
  return {
    all,
    page: { from: `transactions.tracked where ${conditions.join(' and ')} order by submitted_at desc, id desc ${end}`, parameters },
  };
}
