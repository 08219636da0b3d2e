import { derivedId } from '#kernel';
import { Injectable } from '@nestjs/common';
import { exportRecall } from '../../domain/export-steps.js';
import type { RecallStep } from '../../domain/recorded.js';
import { JournalSource } from '../../ports.js';
import { lotsThen, stepsIn } from './lots-then.js';

interface Row {
  readonly key: string;
  readonly recallId: string;
  readonly step: RecallStep['step'];
  readonly at: Date;
  readonly block: string;
  readonly txHash: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly tokenIds: readonly string[];
}

/** Recalls and their liftings: one entry a call, with its lots. A list of few lots shows only those of them. */
@Injectable()
export class RecallSteps extends JournalSource {
  override async page(...[tx, { filter, naming }, after, limit]: Parameters<JournalSource['page']>) {
    if (after?.at === null) return [];
    const parameters: unknown[] = [tx.tenantId];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const where = stepsIn(filter, after, KEY, parameter);
    const lots = filter.tokenIds && parameter(filter.tokenIds);
    const code = filter.tlc !== undefined && parameter(filter.tlc);
    const named = lots
      ? `s.token_ids && ${lots}::bigint[]`
      : code
        ? `s.token_ids && array(select l.token_id from traceability.lot_v1 l where l.tenant_id = $1 and l.tlc = ${code})`
        : 'true';
    const rows = await tx.sql<Row>(
      `select ${KEY} as key, s.recall_id as "recallId", s.step, s.at, s.block_number as block, s.tx_hash as "txHash", s.reason,
         s.recall_class as "recallClass", s.token_ids as "tokenIds"
       from recall.recall_step_v1 s where s.tenant_id = $1 and ${where} and ${named}
       order by s.at desc, ${KEY} limit ${parameter(limit)}`,
      parameters,
    );
    const shown = filter.tokenIds && new Set(filter.tokenIds.map(String));
    const asked = rows.map((row) => row.tokenIds.filter((id) => shown?.has(id) ?? true));
    const found = await lotsThen(
      tx,
      rows.flatMap(({ block }, i) => asked[i]!.map((tokenId) => ({ tokenId, block }))),
    );
    let next = 0;
    return rows.map(({ key, at, ...row }, i) => {
      const step: RecallStep = {
        ...row,
        id: row.step === 'recalled' ? row.recallId : derivedId('recall', row.recallId, row.step, row.txHash),
        at: at.toISOString(),
        lots: found.slice(next, (next += asked[i]!.length)),
      };
      return { at, key, told: exportRecall(step, naming) };
    });
  }
}

const KEY = `(s.recall_id::text || s.tx_hash) collate "C"`;
