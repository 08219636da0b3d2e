import { Parties } from '#identity';
import { isUuid } from '#kernel';
import type { TenantTx } from '#persistence';
import { AffectedSets } from '#traceability';
import { Injectable } from '@nestjs/common';
import { recallNotFound } from '../errors.js';
import { type RecallRecord, RecallQueries } from '../recalls/recalls.queries.js';
import { FindAnswers } from './acknowledge-recall.js';
import type { LotState } from './acknowledgement.js';
import { AcknowledgementQueries } from './acknowledgements.queries.js';

/** All that the report of a recall says. */
export interface FoundRecallReport {
  readonly recall: RecallRecord;
  readonly affected: number;
  readonly states: readonly LotState[];
  /** Whether the recall reaches more lots than were walked. */
  readonly truncated: boolean;
  /** By EIP-55 address: of the holders and of the signers. */
  readonly labels: Awaited<ReturnType<Parties['labels']>>;
}

/** Reads a recall with the answers of all its holders, at one moment. */
@Injectable()
export class FindRecallReport {
  constructor(
    private readonly recalls: RecallQueries,
    private readonly acknowledgements: AcknowledgementQueries,
    private readonly answers: FindAnswers,
    private readonly affected: AffectedSets,
    private readonly parties: Parties,
  ) {}

  /** @throws DomainError 404 `recall_not_found` */
  async of(tx: TenantTx, id: string): Promise<FoundRecallReport> {
    const [recall, asking] = isUuid(id) ? await Promise.all([this.recalls.byId(tx, id), this.acknowledgements.asking(tx, id)]) : [];
    if (!recall || !asking) throw recallNotFound(id);
    const sets = new Map([[id, asking.roots]]);
    const [{ states, truncated }, sizes] = await Promise.all([
      this.answers.of(tx, asking),
      recall.propagation === 'none' ? this.affected.reaches(tx, sets) : this.affected.sizes(tx, sets),
    ]);
    const signers = recall.lots.flatMap(({ liftedBy }) => liftedBy ?? []);
    const labels = await this.parties.labels(tx, [...new Set([recall.recalledBy, ...signers, ...states.map(({ lot }) => lot.custodian)])]);
    return { recall, affected: sizes.get(id) ?? 0, states, truncated, labels };
  }
}
