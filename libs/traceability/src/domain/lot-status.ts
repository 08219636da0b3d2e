/** domain-decisions §2.1, in the order of precedence. */
export const LOT_STATUSES = ['retired', 'recalled', 'consumed', 'in_transit', 'aggregated', 'on_hold', 'expired', 'active'] as const;
export type LotStatus = (typeof LOT_STATUSES)[number];

/** What a lot's status is read from: facts that stand on chain, holds, and the clock (domain-decisions §2.1). */
export interface StatusFacts {
  readonly retiredAt: Date | null;
  readonly recalledAt: Date | null;
  readonly usedUp: boolean;
  readonly pendingCustodian: string | null;
  readonly containerTokenId: bigint | null;
  readonly heldAt: Date | null;
  readonly expiresAt: Date | null;
}

interface Rule {
  readonly status: LotStatus;
  readonly holds: (lot: StatusFacts, now: Date) => boolean;
  /** The same over the columns of a lot version; `{held}` and `{now}` are filled in by the query. */
  readonly sql: string;
}

/** The first that holds is the status. One table for code and SQL, so that a list cannot filter by another rule than it shows. */
export const STATUS_RULES: readonly Rule[] = [
  { status: 'retired', holds: (lot) => lot.retiredAt !== null, sql: '{lot}.retired_at is not null' },
  { status: 'recalled', holds: (lot) => lot.recalledAt !== null, sql: '{lot}.recalled_at is not null' },
  { status: 'consumed', holds: (lot) => lot.usedUp, sql: '{lot}.used_up' },
  { status: 'in_transit', holds: (lot) => lot.pendingCustodian !== null, sql: '{lot}.pending_custodian is not null' },
  { status: 'aggregated', holds: (lot) => lot.containerTokenId !== null, sql: '{lot}.container_token_id is not null' },
  { status: 'on_hold', holds: (lot) => lot.heldAt !== null, sql: '{held} is not null' },
  { status: 'expired', holds: (lot, now) => lot.expiresAt !== null && lot.expiresAt <= now, sql: '{lot}.expires_at <= {now}' },
  { status: 'active', holds: () => true, sql: 'true' },
];

export const lotStatus = (lot: StatusFacts, now: Date): LotStatus => STATUS_RULES.find((rule) => rule.holds(lot, now))!.status;

/** A SQL expression of text; the three arguments are SQL themselves, never input. */
export const lotStatusSql = (lot: string, held: string, now: string): string =>
  `case ${STATUS_RULES.map(
    ({ status, sql }) => `when ${sql.replaceAll('{lot}', lot).replaceAll('{held}', held).replaceAll('{now}', now)} then '${status}'`,
  ).join(' ')} end`;
