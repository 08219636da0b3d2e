import type { ChainFacts, TopicMessage } from '#kernel';
import type { ContractLog } from '#chain';
import { type LotVersion, decimal } from '../lots/lot.js';
import { eventRecorded, nftCreated } from '../topics.js';
import type { LandedEvent } from './landed-event.js';

/** `event.recorded` of docs/spec/domain.md#webhook-data: ids and hashes, no metadata, no names. */
export function eventRecordedMessage(facts: ChainFacts, event: LandedEvent): TopicMessage {
  const { recording, outputs } = event;
  return eventRecorded(
    {
      tenantId: facts.tenantId,
      chainId: facts.chainId,
      contractAddress: facts.contractAddress,
      txHash: facts.txHash,
      blockNumber: facts.blockNumber,
      occurredAt: facts.occurredAt,
      eventId: event.id,
      processType: event.processType,
      processId: recording.processId,
      processMapName: event.processMapName,
      processMapVersion: event.processMapVersion,
      kind: event.kind,
      containmentMode: recording.containmentMode,
      eventTime: event.eventTime?.toISOString() ?? null,
      eventTimeZoneOffset: event.eventTimeZoneOffset,
      recordTime: event.recordTime.toISOString(),
      inputTokenIds: recording.inputTokenIds.map(Number),
      outputTokenIds: event.outputTokenIds.map(Number),
      outputTlc: outputs[0]?.tlc ?? null,
      outputCustodian: outputs[0]?.custodian ?? null,
      actor: recording.actor,
      orgId: event.orgId,
      senderMismatch: event.senderMismatch,
      preparedSender: event.preparedSender,
      ipfsCid: recording.cid,
      dataHash: recording.dataHash,
      logIndex: recording.at.logIndex,
      supersedes: event.supersedes,
    },
    {
      key: ['event.recorded', recording.chainId, recording.txHash, recording.txLogIndex, 0].join(':'),
      occurredAt: recording.at.time,
      block: { chainId: recording.chainId, number: recording.at.block },
    },
  );
}

/** `nft.created`, one per lot, co-products too. */
export function nftCreatedMessage(
  facts: ChainFacts,
  event: LandedEvent,
  lot: LotVersion,
  log: Extract<ContractLog, { name: 'LotMinted' }>,
): TopicMessage {
  const { recording } = event;
  return nftCreated(
    {
      tenantId: facts.tenantId,
      chainId: facts.chainId,
      contractAddress: facts.contractAddress,
      txHash: facts.txHash,
      blockNumber: facts.blockNumber,
      occurredAt: facts.occurredAt,
      tokenId: Number(lot.tokenId),
      tlc: lot.tlc,
      gtin: lot.gtin,
      serial: lot.serial,
      assetType: lot.assetType,
      assetTypeName: lot.assetTypeName,
      processMapName: lot.processMapName,
      custodian: log.args.custodian,
      quantity: lot.quantity === null ? null : decimal(lot.quantity),
      uom: lot.uom,
      metadataCid: lot.metadataCid,
      dataHash: lot.dataHash,
      expiresAt: lot.expiresAt?.toISOString() ?? null,
      mintEventId: lot.mintEventId,
      parentTokenIds: event.parentTokenIds.map(Number),
      digitalLink: lot.digitalLink,
    },
    {
      key: ['nft.created', recording.chainId, log.txHash, log.txLogIndex, lot.tokenId].join(':'),
      occurredAt: recording.at.time,
      block: { chainId: recording.chainId, number: recording.at.block },
    },
  );
}

/** What all topics of an event begin with: made once for it and its lots, and copied field by field, as `...` makes a hash table of each. */
export function chainFacts(tenantId: string, { recording }: LandedEvent): ChainFacts {
  return {
    tenantId,
    chainId: recording.chainId,
    contractAddress: recording.contract,
    txHash: recording.txHash,
    blockNumber: recording.at.block,
    occurredAt: recording.at.time.toISOString(),
  };
}
