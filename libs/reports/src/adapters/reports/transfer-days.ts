import type { ChainPosition } from '#chain';
import type { TenantTx } from '#persistence';
import type { Scope } from '../../ports.js';
import { TRANSFER_DAY, transferDaysOf, transferFacts } from '../persistence/transfer-facts.js';
import { cutOf, wholeDays } from '../persistence/whole-days.js';

/** Ended transfers of a period by day, giver and taker, as a part of a statement that may add parameters of its own behind these. */
export interface TransferDays {
  readonly days: string;
  readonly parameters: readonly unknown[];
  /** What kept days stand on; undefined = transfers are read as they are now. */
  readonly asOf?: ChainPosition;
}

/** Of a tenant whose transfers are kept, from their days and from those of the days that the period cuts; of another, from the transfers. */
export async function transferDays(tx: TenantTx, scope: Pick<Scope, 'from' | 'to'>): Promise<TransferDays> {
  const [kept] = await tx.sql<{ head: string; final: string }>(
    'select as_of_head as head, as_of_final as final from reports.transfer_walk where tenant_id = $1 and as_of_head is not null',
    [tx.tenantId],
  );
  const parameters: unknown[] = [tx.tenantId];
  const add = (value: unknown): string => `$${parameters.push(value)}`;
  const within = (at: string): string =>
    [
      'true',
      ...(scope.from ? [`${at} >= ${add(scope.from)}::timestamptz`] : []),
      ...(scope.to ? [`${at} < ${add(scope.to)}::timestamptz`] : []),
    ].join(' and ');
  if (!kept) return { days: `(${transferDaysOf(`(${transferFacts(within('t.closed_at'))}) f`)})`, parameters };
  const whole = wholeDays(scope);
  const [first, last] = [whole?.from, whole?.to].map((day) => (day == null ? '' : `${add(day)}::date`)) as [string, string];
  const days = [...(first ? [`d.day >= ${first}`] : []), ...(last ? [`d.day < ${last}`] : [])];
  const cut = `reports.transfer_fact f where f.tenant_id = $1 and ${within('f.at')} and ${cutOf('f.at', scope, whole, first, last)}`;
  return {
    days: `(select ${TRANSFER_DAY} from reports.transfer_day d where d.tenant_id = $1 and ${whole ? ['true', ...days].join(' and ') : 'false'}
      union all ${transferDaysOf(cut)})`,
    parameters,
    asOf: { head: Number(kept.head), final: Number(kept.final) },
  };
}
