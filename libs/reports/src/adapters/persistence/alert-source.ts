import type { TenantTx } from '#persistence';
import type { Circumstances } from '../../domain/alerts/circumstances.js';

/** How far a source was followed before. */
export interface Followed {
  /** The source's own; null = from the beginning. */
  readonly place: string | null;
  /** Blocks up to here cannot be undone any more; -1 before there is one. */
  readonly final: number;
  readonly head: number;
}

export interface Fresh {
  /** Subjects to judge, by id. */
  readonly ids: readonly string[];
  readonly place: string | null;
  readonly more: boolean;
}

/** Where a kind of facts comes from: which subjects are worth a look, and what is known of them. */
export abstract class AlertSource<Facts = unknown> {
  /** How many subjects of standing alerts are looked at again in one round. */
  readonly atOnce: number = BATCH;
  /** A bounded number of subjects with something new, or that may have become alerts and are not. */
  abstract fresh(tx: TenantTx, followed: Followed, at: Circumstances): Promise<Fresh>;
  /** The facts of those among these that are still there. */
  abstract facts(tx: TenantTx, ids: readonly string[], at: Circumstances): Promise<readonly Facts[]>;
  /** Subjects that facts speak of besides the ones they were asked for. */
  covered(_facts: readonly Facts[]): readonly string[] {
    return [];
  }
}

export const BATCH = 500;

/** Of a source that looks for what is no alert yet: nothing to remember. */
export const allOf = (rows: readonly { readonly id: string }[]): Fresh => ({
  ids: rows.map(({ id }) => id),
  place: null,
  more: rows.length >= BATCH,
});

/** SQL: `alias` has no standing alert of this type. Subject ids are compared as text. */
export const unalerted = (source: string, type: string, subject: string): string =>
  `not exists (select from reports.alert a where a.tenant_id = $1 and a.source = '${source}' and a.type = '${type}'
     and a.subject_id = (${subject})::text and a.resolved_at is null)`;
