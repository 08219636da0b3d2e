import type { Fresh, SourceName } from '../../alerts.ports.js';
import type { AlertType } from '../../domain/alerts/alert.js';

export const BATCH = 500;

/** Of a source that looks for what is no alert yet: nothing to remember. */
export const allOf = (rows: readonly { readonly id: string }[]): Fresh => ({
  ids: rows.map(({ id }) => id),
  place: null,
  more: rows.length >= BATCH,
});

/** SQL: this subject, an expression, has no standing alert of this type. `$1` is the tenant. */
export const unalerted = (source: SourceName, type: AlertType, subject: string): string =>
  `not exists (select from reports.alert a where a.tenant_id = $1 and a.source = '${source}' and a.type = '${type}'
     and a.subject_id = (${subject})::text and a.resolved_at is null)`;
