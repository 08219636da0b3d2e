import { Parties } from '#identity';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { SignatureFacts } from '../rules/signature.rules.js';
import { AlertSource, BATCH, type Candidates, hasNoAlert, withoutPlace } from './source.queries.js';

type Row = Omit<SignatureFacts, 'tokenId' | 'orgIds'> & { readonly tokenId: string | null };

/** Voids by their event, recalls and liftings by their first lot. `$1` is the tenant. */
const SIGNATURES = `
  select e.id::text as subject, 'void' as call, e.id::text as id, null::bigint as token_id, e.output_tlc as tlc, e.process_type,
    e.error_declaration ->> 'actor' as signer, e.error_declaration ->> 'preparedSender' as prepared_sender
  from traceability.event_v1 e where e.tenant_id = $1 and (e.error_declaration ->> 'senderMismatch') = 'true'
  union all
  select c.token_ids[1]::text, c.change, c.recall_id::text, c.token_ids[1], l.tlc, null, c.signer, c.prepared_sender
  from recall.recall_change_v1 c left join traceability.lot_v1 l on l.tenant_id = c.tenant_id and l.token_id = c.token_ids[1]
  where c.tenant_id = $1 and c.sender_mismatch`;

/** Voids, recalls and liftings that another wallet signed; events that it recorded are those of `EventSource`. */
@Injectable()
export class SignatureSource extends AlertSource<SignatureFacts> {
  constructor(private readonly parties: Parties) {
    super();
  }

  override async candidates(tx: TenantTx): Promise<Candidates> {
    return withoutPlace(
      await tx.sql(
        `select distinct s.subject as id from (${SIGNATURES}) s where ${hasNoAlert('signature', 'POLICY_BREACH', 's.subject')} limit ${BATCH}`,
        [tx.tenantId],
      ),
    );
  }

  override async facts(tx: TenantTx, ids: readonly string[]): Promise<readonly SignatureFacts[]> {
    const rows = await tx.sql<Row>(
      `select s.call, s.id, s.token_id as "tokenId", s.tlc, s.process_type as "processType", s.signer, s.prepared_sender as "preparedSender"
       from (${SIGNATURES}) s where s.subject = any ($2::text[]) order by s.subject, s.call, s.id`,
      [tx.tenantId, ids],
    );
    const labels = await this.parties.labels(tx, [...new Set(rows.map(({ signer }) => signer))]);
    return rows.map((row) => ({
      ...row,
      tokenId: row.tokenId === null ? null : BigInt(row.tokenId),
      // As for events, it is the signer who is concerned.
      orgIds: [labels.get(row.signer)?.orgId ?? []].flat(),
    }));
  }
}
