import { type ContractLog, ChainProjector, type LogBatch } from '#chain';
import { TOO_LATE, cidFromDataHash, inTime } from '#content-storage';
import { ReadContents } from '#sealed-contents';
import { Parties } from '#identity';
import { type Signature, signatureOf, ZERO_BYTES32 } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { PropagateRecall } from '../holds/propagate-recall.js';
import { NO_NOTICE, type Recall, type RecallNotice, landedRecall, recallNotice } from '../recalls/recall.js';
import { RecallQueries } from '../recalls/recalls.queries.js';
import { PublishRecalls } from './publish-recalls.js';

type RecalledLog = Extract<ContractLog, { name: 'LotsRecalled' }>;
type LiftedLog = Extract<ContractLog, { name: 'RecallLifted' }>;
const isRecallLog = (log: ContractLog): log is RecalledLog | LiftedLog => log.name === 'LotsRecalled' || log.name === 'RecallLifted';

/** A block must not wait for content that may not exist: after one read took this long, no more notices are read with it. */
const READ_LIMIT_MS = 1_500;

/**
 * Folds recalls and their lifting into `recall.*`, and publishes each recalled lot. Runs after traceability's projector, whose affected
 * sets do not know what a notice says: those of recalls with propagation `none` are removed here.
 */
@Injectable()
export class RecallProjector extends ChainProjector {
  constructor(
    private readonly recalls: RecallQueries,
    private readonly publishing: PublishRecalls,
    private readonly propagation: PropagateRecall,
    private readonly content: ReadContents,
    private readonly parties: Parties,
  ) {
    super();
  }

  override async apply(tx: TenantTx, { chainId, logs }: LogBatch): Promise<void> {
    const reading = { goesOn: true };
    const withoutPropagation: string[] = [];
    for (const log of logs.filter(isRecallLog)) {
      if (log.name === 'LotsRecalled') {
        const { id, notice } = await this.recall(tx, chainId, log, reading);
        if (notice.propagation === 'none') withoutPropagation.push(id);
      } else await this.lift(tx, chainId, log, reading);
    }
    if (withoutPropagation.length > 0) await this.propagation.forget(tx, chainId, withoutPropagation);
    const minted = logs.flatMap((log) => (log.name === 'LotMinted' ? [log.args] : []));
    if (minted.length > 0) await this.propagation.releaseEarlierLots(tx, minted);
    const split = logs.flatMap(({ name, args, block }) =>
      name === 'LotSplit' ? [{ tokenId: args.tokenId, partId: args.partId, at: block.timestamp, block: block.number }] : [],
    );
    if (split.length > 0) {
      await this.propagation.releaseEarlierParts(
        tx,
        split.map(({ partId }) => partId),
      );
      await this.propagation.holdParts(tx, chainId, split);
    }
    if (minted.length + split.length > 0 || logs.some((log) => log.name === 'LotsRecalled'))
      await this.propagation.holdSince(tx, chainId, logs[0]!.block.number);
    if (logs.some((log) => log.name === 'RecallLifted')) await this.propagation.releaseLifted(tx);
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await this.propagation.undo(tx, chainId, lastGoodBlock);
    await this.recalls.undo(tx, chainId, lastGoodBlock);
  }

  private async recall(tx: TenantTx, chainId: number, log: RecalledLog, reading: { goesOn: boolean }): Promise<Recall> {
    const { actor, dataHash, tokenIds } = log.args;
    const notice = dataHash === ZERO_BYTES32 ? NO_NOTICE : await this.read(tx, dataHash, reading);
    const { contract, txHash, logIndex, txLogIndex, block } = log;
    const landing = {
      chainId,
      contract,
      recalledBy: actor,
      ...(await this.signature(tx, dataHash, actor)),
      dataHash,
      at: block.timestamp,
      block: block.number,
      txHash,
      logIndex,
      txLogIndex,
    };
    const recall = landedRecall(landing, tokenIds, notice ?? NO_NOTICE, notice !== null);
    await this.recalls.save(tx, recall);
    await this.publishing.publish(tx, recall);
    return recall;
  }

  private async lift(tx: TenantTx, chainId: number, { args, block, txHash }: LiftedLog, reading: { goesOn: boolean }): Promise<void> {
    const { tokenIds, actor: liftedBy, dataHash } = args;
    const signature = await this.signature(tx, dataHash, liftedBy);
    const reason = dataHash === ZERO_BYTES32 ? null : ((await this.read(tx, dataHash, reading))?.reason ?? null);
    await this.recalls.lift(tx, { chainId, tokenIds, liftedBy, ...signature, reason, at: block.timestamp, block: block.number, txHash });
  }

  private async signature(tx: TenantTx, dataHash: string, address: string): Promise<Signature> {
    const prepared = dataHash === ZERO_BYTES32 ? null : await this.recalls.preparedFor(tx, dataHash);
    const byOrganisation = prepared !== null && prepared.sender === null;
    const orgId = byOrganisation ? ((await this.parties.labels(tx, [address])).get(address)?.orgId ?? null) : null;
    return signatureOf(prepared, { address, orgId });
  }

  /** Null when the notice cannot be read now: it is read later. A store that does not answer or a corrupt block must not stop indexing. */
  private async read(tx: TenantTx, dataHash: string, reading: { goesOn: boolean }): Promise<RecallNotice | null> {
    if (!reading.goesOn) return null;
    const cid = cidFromDataHash(dataHash);
    const bytes = await inTime(this.content.get(cid), READ_LIMIT_MS);
    if (bytes === TOO_LATE) reading.goesOn = false;
    if (bytes === TOO_LATE || bytes === null) return null;
    return recallNotice(await this.content.inClear(tx, { cid, bytes }, tx)) ?? NO_NOTICE;
  }
}
