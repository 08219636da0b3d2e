import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { RuleContext } from '../rules/rule.js';
import type { PreparedFacts, SubscriptionFacts, TransactionFacts, TransferFacts } from '../rules/operations.rules.js';
import { AlertSource, BATCH, type Candidates, type SourcePosition, hasNoAlert, withoutPlace } from './source.queries.js';

/** Transactions that are open for too long, or failed recently. */
@Injectable()
export class TransactionSource extends AlertSource<TransactionFacts> {
  override async candidates(tx: TenantTx, _: SourcePosition, context: RuleContext): Promise<Candidates> {
    return withoutPlace(
      await tx.sql(
        `(select t.id from transactions.tracked_v1 t
          where t.tenant_id = $1 and t.status in ('submitted', 'pending', 'confirming') and t.submitted_at < $2::timestamptz - make_interval(secs => $3)
            and ${hasNoAlert('transaction', 'TX_STUCK', 't.id')} limit ${BATCH})
         union all
         (select t.id from transactions.tracked_v1 t
          where t.tenant_id = $1 and t.status = 'failed' and t.confirmed_at >= $2::timestamptz - make_interval(secs => $4)
            and ${hasNoAlert('transaction', 'TX_FAILED', 't.id')} limit ${BATCH})`,
        [tx.tenantId, context.now, context.thresholds.txStuckAfterSeconds, context.thresholds.txFailedWithinSeconds],
      ),
    );
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly TransactionFacts[]> {
    const rows = await tx.sql<Omit<TransactionFacts, 'orgIds'> & { readonly orgId: string | null }>(
      `select t.id as "trackingId", t.tx_hash as "txHash", t.type, t.status, t.submitted_at as "submittedAt", t.confirmed_at as "failedAt",
         t.revert_reason as "revertReason", t.event_id as "eventId", e.org_id as "orgId"
       from transactions.tracked_v1 t left join traceability.event_v1 e on e.tenant_id = t.tenant_id and e.id = t.event_id
       where t.tenant_id = $1 and t.id = any ($2::uuid[]) order by t.id`,
      [tx.tenantId, ids],
    );
    return rows.map(({ orgId, ...row }) => ({ ...row, orgIds: orgId === null ? [] : [orgId] }));
  }
}

/** Events that were prepared and not sent. */
@Injectable()
export class PreparedSource extends AlertSource<PreparedFacts> {
  override async candidates(tx: TenantTx, _: SourcePosition, context: RuleContext): Promise<Candidates> {
    return withoutPlace(
      await tx.sql(
        `select e.id from traceability.event_v1 e
         where e.tenant_id = $1 and e.status in ('prepared', 'submitted') and e.block_number is null
           and e.record_time < $2::timestamptz - make_interval(secs => $3) and ${hasNoAlert('prepared', 'EVENT_UNSUBMITTED', 'e.id')} limit ${BATCH}`,
        [tx.tenantId, context.now, context.thresholds.unsubmittedAfterSeconds],
      ),
    );
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly PreparedFacts[]> {
    const rows = await tx.sql<Omit<PreparedFacts, 'orgIds'> & { readonly orgId: string | null }>(
      `select e.id, e.process_type as "processType", e.process_label as "processLabel", e.output_tlc as "outputTlc", e.record_time as "preparedAt", e.expires_at as "expiresAt",
         e.org_id as "orgId"
       from traceability.event_v1 e
       where e.tenant_id = $1 and e.id = any ($2::uuid[]) and e.status in ('prepared', 'submitted') and e.block_number is null order by e.id`,
      [tx.tenantId, ids],
    );
    return rows.map(({ orgId, ...row }) => ({ ...row, orgIds: orgId === null ? [] : [orgId] }));
  }
}

/** Webhook subscriptions whose deliveries fail. */
@Injectable()
export class SubscriptionSource extends AlertSource<SubscriptionFacts> {
  override async candidates(tx: TenantTx, _: SourcePosition, context: RuleContext): Promise<Candidates> {
    return withoutPlace(
      await tx.sql(
        `select s.id from webhooks.subscription_health_v1 s
         where s.tenant_id = $1 and (s.failed_in_a_row >= $2 or s.paused_since is not null) and ${hasNoAlert('subscription', 'WEBHOOK_FAILING', 's.id')} limit ${BATCH}`,
        [tx.tenantId, context.thresholds.webhookFailures],
      ),
    );
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly SubscriptionFacts[]> {
    return tx.sql<SubscriptionFacts>(
      `select s.id, s.host, s.paused_since as "pausedSince", s.failed_in_a_row as "failedInARow", s.failing_since as "failingSince", s.last_error as "lastError"
       from webhooks.subscription_health_v1 s where s.tenant_id = $1 and s.id = any ($2::uuid[]) order by s.id`,
      [tx.tenantId, ids],
    );
  }
}

/** Transfers that wait for too long. */
@Injectable()
export class TransferSource extends AlertSource<TransferFacts> {
  constructor(private readonly parties: Parties) {
    super();
  }

  override async candidates(tx: TenantTx, _: SourcePosition, context: RuleContext): Promise<Candidates> {
    const maps = [...context.maps].filter(([name]) => !name.includes('@'));
    return withoutPlace(
      await tx.sql(
        `select o.id from custody.transfer_v1 o
         join traceability.lot_v1 l on l.tenant_id = o.tenant_id and l.token_id = o.token_id
         left join unnest($4::text[], $5::float8[]) as m(name, within) on m.name = l.process_map_name
         where o.tenant_id = $1 and o.status = 'pending' and o.offered_at < $2::timestamptz - make_interval(secs => coalesce(m.within, $3))
           and ${hasNoAlert('offer', 'CUSTODY_PENDING', 'o.id')} limit ${BATCH}`,
        [
          tx.tenantId,
          context.now,
          context.thresholds.custodyAcceptWithinSeconds,
          maps.map(([name]) => name),
          maps.map(([, { custodyAcceptWithinSeconds: within }]) => within),
        ],
      ),
    );
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly TransferFacts[]> {
    const rows = await tx.sql<{
      readonly id: string;
      readonly token_id: string;
      readonly tlc: string;
      readonly asset_type_name: string | null;
      readonly process_map_name: string | null;
      readonly offered_from: string;
      readonly offered_to: string;
      readonly offered_at: Date;
    }>(
      `select o.id, o.token_id, l.tlc, l.asset_type_name, l.process_map_name, o.from_address as offered_from, o.to_address as offered_to, o.offered_at
       from custody.transfer_v1 o join traceability.lot_v1 l on l.tenant_id = o.tenant_id and l.token_id = o.token_id
       where o.tenant_id = $1 and o.status = 'pending' and o.id = any ($2) order by o.id`,
      [tx.tenantId, ids],
    );
    const labels = await this.parties.labels(
      tx,
      rows.flatMap(({ offered_from: from, offered_to: to }) => [from, to]),
    );
    return rows.map((row) => ({
      transferId: row.id,
      tokenId: BigInt(row.token_id),
      tlc: row.tlc,
      assetTypeName: row.asset_type_name,
      mapName: row.process_map_name,
      from: row.offered_from,
      to: row.offered_to,
      toLabel: labels.get(row.offered_to)!.label,
      offeredAt: row.offered_at,
      // Both sides of the transfer are concerned.
      orgIds: [...new Set([row.offered_from, row.offered_to].flatMap((address) => labels.get(address)!.orgId ?? []))],
    }));
  }
}
