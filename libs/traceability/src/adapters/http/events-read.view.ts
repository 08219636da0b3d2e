import type { PartyLabel } from '#identity';
import { type Actor, walletDid } from '#kernel';
import { readablePart, readsAll } from '../../domain/projection-visibility.js';
import { type EventRecord, processOfEvent } from '../persistence/event-reads.js';
import { processKey } from '../persistence/map-words.js';
import type { EventActorView, EventView } from './events-read.shapes.js';

/** What is asked once for all events of an answer. */
export interface EventSurroundings {
  readonly actor: Actor;
  readonly labels: ReadonlyMap<string, PartyLabel>;
  /** By `processKey`. */
  readonly publicPointers: ReadonlyMap<string, readonly string[]>;
  readonly chainId: number;
  readonly finalBlock: number;
}

export function eventView(event: EventRecord, around: EventSurroundings): EventView {
  const chainId = event.chainId === null ? around.chainId : Number(event.chainId);
  const blockNumber = event.blockNumber === null ? null : Number(event.blockNumber);
  return {
    id: event.id,
    tenantId: around.actor.tenantSlug,
    processType: event.processType,
    processId: event.processId,
    processLabel: event.processLabel,
    processMapName: event.processMapName,
    processMapVersion: event.processMapVersion,
    kind: event.kind,
    containmentMode: event.containmentMode,
    status: event.status,
    eventTime: event.eventTime?.toISOString() ?? null,
    eventTimeZoneOffset: event.eventTimeZoneOffset,
    recordTime: event.recordTime.toISOString(),
    landedAt: event.landedAt?.toISOString() ?? null,
    late: event.late,
    actor: actorView(event, around, chainId),
    inputTokenIds: event.inputTokenIds.map(Number),
    inputs: event.inputs.map((line) => ({
      tokenId: line.tokenId!,
      tlc: line.tlc ?? null,
      assetType: line.assetType ?? null,
      quantity: line.quantity ?? null,
      uom: line.uom ?? null,
      consumption: line.consumption ?? null,
    })),
    outputTlc: event.outputTlc,
    outputCustodian: event.outputCustodian,
    outputTokenIds: event.outputTokenIds.map(Number),
    outputs: event.outputs.map((line) => ({
      tokenId: line.tokenId ?? null,
      tlc: line.tlc ?? null,
      assetType: line.assetType ?? null,
      role: line.role ?? null,
      quantity: line.quantity ?? null,
      uom: line.uom ?? null,
      custodian: line.custodian ?? null,
      expiresAt: line.expiresAt ?? null,
    })),
    ...content(event, around),
    ipfsCid: event.ipfsCid,
    dataHash: event.dataHash,
    kde: event.kde,
    txHash: event.txHash,
    blockNumber,
    logIndex: event.logIndex,
    chainId,
    contractAddress: event.contractAddress,
    errorDeclaration: event.errorDeclaration,
    supersedes: event.supersedes,
    supersededBy: event.supersededBy,
    createdAt: event.createdAt.toISOString(),
    updatedAt: event.updatedAt.toISOString(),
    calldataMismatch: event.calldataMismatch,
    resolved: event.resolved,
    confirmed: blockNumber !== null && blockNumber <= around.finalBlock,
  };
}

function actorView(event: EventRecord, { labels }: EventSurroundings, chainId: number): EventActorView {
  const address = event.actorAddress;
  return {
    address,
    did: address === null ? null : walletDid(chainId, address),
    orgId: event.orgId,
    orgName: address === null ? null : (labels.get(address)?.orgName ?? null),
  };
}

/** Warnings quote what they warn about, and a mass balance says what was lost: both are for those who read all. */
function content(
  event: EventRecord,
  { actor, publicPointers }: EventSurroundings,
): Pick<EventView, 'location' | 'metadata' | 'documents' | 'warnings' | 'mass'> {
  const { location, metadata, documents } = readablePart(actor, event, publicPointers.get(processKey(processOfEvent(event))) ?? []);
  const all = readsAll(actor, event.orgId);
  return { location, metadata, documents: [...documents], warnings: all ? [...event.warnings] : [], mass: all ? event.mass : null };
}
