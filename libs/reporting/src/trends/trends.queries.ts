import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { eventFigures } from '../event-facts/event-figures.queries.js';
import { transferDays } from '../event-facts/transfer-facts.queries.js';
import { type AsOf, type ReportScope, earlierOf } from '../reports/report.js';
import type { EventSums, Interval, RecallSums, TransferSums } from './trends.rules.js';

interface Trends {
  readonly events: readonly EventSums[];
  readonly transfers: readonly TransferSums[];
  readonly recalls: readonly RecallSums[];
  readonly asOf: AsOf | undefined;
}

@Injectable()
export class TrendsQueries {
  async read(tx: TenantTx, scope: ReportScope, interval: Interval): Promise<Trends> {
    const wallets = scope.organisation?.wallets ?? null;
    const { facts, factParameters, asOf } = await eventFigures(tx, scope);
    const transfers = await transferDays(tx, scope);
    return {
      events: await tx.sql<EventSums>(eventSums(facts, interval), factParameters),
      transfers: await tx.sql<TransferSums>(transferSums(transfers.days, interval, transfers.parameters.length), [
        ...transfers.parameters,
        wallets,
      ]),
      recalls: await tx.sql<RecallSums>(recallSums(interval), [tx.tenantId, scope.from, scope.to, wallets]),
      asOf: earlierOf(asOf, transfers.asOf),
    };
  }
}

/** @param day SQL of a UTC day */
const startOf = (interval: Interval, day: string): string => `to_char(date_trunc('${interval}', ${day}), 'YYYY-MM-DD') as start`;
const utc = (time: string): string => `${time} at time zone 'utc'`;

/** @param facts the relation of `eventFigures` */
const eventSums = (facts: string, interval: Interval): string => `
  select ${startOf(interval, utc('f.at'))}, count(*) as events, sum(f.lots) as lots,
    sum(f.main_output_kg + f.co_product_kg) filter (where f.lots > 0) as "recordedKg",
    count(*) filter (where f.lots > 0 and f.main_output_kg + f.co_product_kg is null) as "unweighedEvents",
    sum(f.input_kg) filter (where f.measured) as "inputKg", sum(f.main_output_kg) filter (where f.measured) as "mainOutputKg"
  from ${facts} f group by 1`;

/** @param days the relation of `TransferDays`; the parameter behind `before` is the wallets of an organisation */
const transferSums = (days: string, interval: Interval, before: number): string => `
  select ${startOf(interval, 'd.day::timestamp')}, sum(d.completed) as transfers, sum(d.rejected) as "rejectedTransfers"
  from ${days} d
  where $${before + 1}::text[] is null or d.giver = any($${before + 1}::text[]) or d.taker = any($${before + 1}::text[]) group by 1`;

/** By when they were signed, and by whom. */
const recallSums = (interval: Interval): string => `
  select ${startOf(interval, utc('r.at'))}, count(*) as recalls, coalesce(sum(cardinality(r.token_ids)), 0) as "recalledLots"
  from recall.recall_change_v1 r
  where r.tenant_id = $1 and r.change = 'recalled' and ($2::timestamptz is null or r.at >= $2) and ($3::timestamptz is null or r.at < $3)
    and ($4::text[] is null or r.signer = any($4::text[]))
  group by 1`;
