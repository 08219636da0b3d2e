import { createHash } from 'node:crypto';

/** docs/spec/domain.md#data-reference. */
export const POINTER_KINDS = ['cid', 'dataHash', 'tx', 'nft', 'document', 'ext'] as const;
export type PointerKind = (typeof POINTER_KINDS)[number];

/** The worst first. */
export const POINTER_STATUSES = ['mismatch', 'unresolved', 'not_checked', 'ok'] as const;
export type PointerStatus = (typeof POINTER_STATUSES)[number];

/** The record with the pointer. */
export interface PointerSubject {
  readonly kind: 'lot' | 'event';
  /** Token id or event id. */
  readonly id: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly processType: string | null;
  readonly orgIds: readonly string[];
}

/** The result of a check. `resolved` null = not checked, `matches` null = nothing to compare. */
export interface Verdict {
  readonly resolved: boolean | null;
  readonly matches: boolean | null;
  readonly detail: string;
}

export interface CheckedPointer extends Verdict {
  readonly id: string;
  readonly kind: PointerKind;
  readonly subject: PointerSubject;
  readonly value: string;
  readonly status: PointerStatus;
  /** Time of the request; null without one. */
  readonly latencyMs: number | null;
}

/** The same pointer of the same record has the same id at every check. */
const pointerId = (kind: PointerKind, subject: PointerSubject, value: string): string =>
  createHash('sha256').update(`${kind}|${subject.kind}:${subject.id}|${value}`).digest('hex').slice(0, 16);

export function statusOf({ resolved, matches }: Pick<Verdict, 'resolved' | 'matches'>): PointerStatus {
  if (resolved === null) return 'not_checked';
  if (!resolved) return 'unresolved';
  return matches === false ? 'mismatch' : 'ok';
}

export const checkedPointer = (
  kind: PointerKind,
  subject: PointerSubject,
  value: string,
  verdict: Verdict,
  latencyMs: number | null = null,
): CheckedPointer => ({ id: pointerId(kind, subject, value), kind, subject, value, status: statusOf(verdict), latencyMs, ...verdict });
