import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Followed, type Fresh } from '../../alerts.ports.js';
import type { YieldFacts } from '../../domain/alerts/facts.js';
import { changedEvents } from './event-source.js';

interface Row {
  readonly process_type: string;
  readonly label: string;
  readonly events: readonly {
    readonly id: string;
    readonly outputTlc: string | null;
    readonly yield: number;
    readonly outside: boolean | null;
    readonly orgId: string | null;
  }[];
}

/** The latest thousand yields of each process that has a new one: what is usual follows the process as it is run now. */
@Injectable()
export class YieldSource extends AlertSource<YieldFacts> {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override fresh(tx: TenantTx, followed: Followed): Promise<Fresh> {
    return changedEvents(tx, this.chain.chainId, followed);
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly YieldFacts[]> {
    const rows = await tx.sql<Row>(FACTS, [tx.tenantId, ids]);
    return rows.map(({ process_type, label, events }) => ({
      processType: process_type,
      label,
      events: events.map((event) => ({
        id: event.id,
        outputTlc: event.outputTlc,
        yield: Number(event.yield),
        yieldOutside: event.outside ?? false,
        orgIds: event.orgId === null ? [] : [event.orgId],
      })),
    }));
  }

  override covered(facts: readonly YieldFacts[]): readonly string[] {
    return facts.flatMap(({ events }) => events.map(({ id }) => id));
  }
}

const FACTS = `select p.process_type, coalesce(max(y.process_label), p.process_type) as label,
    jsonb_agg(jsonb_build_object('id', y.id, 'outputTlc', y.output_tlc, 'yield', y.yield, 'outside', y.yield_outside, 'orgId', y.org_id)
      order by y.event_time desc, y.id) as events
  from (select distinct process_type from traceability.event_v1
        where tenant_id = $1 and id = any ($2::uuid[]) and process_type is not null and cardinality(output_token_ids) > 0) p
  cross join lateral (
    select e.id, e.output_tlc, e.process_label, e.yield, e.yield_outside, e.org_id, e.event_time from traceability.event_v1 e
    where e.tenant_id = $1 and e.process_type = p.process_type and e.counts and e.yield is not null
    order by e.own_event_time desc nulls last, e.id limit 1000) y
  group by 1 order by 1`;
