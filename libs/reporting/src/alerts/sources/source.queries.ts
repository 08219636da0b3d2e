import type { TenantTx } from '#persistence';
import type { AlertType, RuleContext } from '../rules/rule.js';
import type { SourceName } from '../rules/catalogue.js';

/** Subjects per query. */
export const BATCH = 500;

/** How far a source was read before. */
export interface SourcePosition {
  /** In the source's own format; null = from the beginning. */
  readonly place: string | null;
  /** Last final block; -1 before the first one. */
  readonly final: number;
  readonly head: number;
}

/** Ids of subjects to judge. */
export interface Candidates {
  readonly ids: readonly string[];
  readonly place: string | null;
  readonly more: boolean;
}

/** Reads the facts for the rules of one name in `RULES`: which subjects to judge, and what is known about them. */
export abstract class AlertSource<Facts = unknown> {
  /** Subjects of open alerts that are judged again in one run. */
  readonly openPerRun: number = 500;
  /** Subjects that changed, or that may have a new alert. A bounded number. */
  abstract candidates(tx: TenantTx, position: SourcePosition, context: RuleContext): Promise<Candidates>;
  /** Facts of the subjects that still exist. */
  abstract facts(tx: TenantTx, ids: readonly string[], context: RuleContext): Promise<readonly Facts[]>;
  /** Further subjects that the facts are about. */
  alsoJudged(_facts: readonly Facts[]): readonly string[] {
    return [];
  }
  /** Stores what later candidates depend on. */
  async remember(_tx: TenantTx, _ids: readonly string[], _facts: readonly Facts[]): Promise<void> {}
}

/** The source of each name, in the order of reading. */
export class AlertSources {
  constructor(readonly byName: ReadonlyMap<SourceName, AlertSource>) {}
}

/** Of a source that finds its candidates by their missing alerts: there is no place to store. */
export const withoutPlace = (rows: readonly { readonly id: string }[]): Candidates => ({
  ids: rows.map(({ id }) => id),
  place: null,
  more: rows.length >= BATCH,
});

/** SQL: this subject, an expression, has no open alert of this type. `$1` is the tenant. */
export const hasNoAlert = (source: SourceName, type: AlertType, subject: string): string =>
  `not exists (select from reporting.alert a where a.tenant_id = $1 and a.source = '${source}' and a.type = '${type}'
     and a.subject_id = (${subject})::text and a.resolved_at is null)`;
