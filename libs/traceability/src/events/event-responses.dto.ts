import { ChainHead, type ChainPosition, ChainProfile } from '#chain';
import { type Actor, mapYielding, walletDid } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { EventRecord, Line } from './event-record.js';
import { processOfEvent } from './events.queries.js';
import { loadPublicPointers, processKey, publicPointersOf } from '../process-maps/process-maps.queries.js';
import type { EventActorView } from './event-actor.dto.js';
import type { EventView } from './events.dto.js';
import { readablePart, readsAll } from '../process-maps/visibility.js';

/** Makes the responses of events for one reader. */
@Injectable()
export class EventResponses {
  constructor(
    private readonly work: UnitOfWork,
    private readonly chainHead: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  /** When their transaction has ended. */
  async of(actor: Actor, events: readonly EventRecord[], { final }: Pick<ChainPosition, 'final'>): Promise<EventView[]> {
    const publicPointers = await publicPointersOf(this.work, actor, events.map(processOfEvent));
    return this.views(events, { actor, publicPointers, finalBlock: final });
  }

  /** In their transaction. */
  async within(tx: TenantTx, actor: Actor, events: readonly EventRecord[]): Promise<EventView[]> {
    const [publicPointers, { final }] = await Promise.all([
      loadPublicPointers(tx, events.map(processOfEvent)),
      this.chainHead.position(tx),
    ]);
    return this.views(events, { actor, publicPointers, finalBlock: final });
  }

  private views(events: readonly EventRecord[], known: Omit<ResponseContext, 'chainId'>): Promise<EventView[]> {
    const context = { ...known, chainId: this.chain.chainId };
    return mapYielding(events, (event) => eventView(event, context));
  }
}

/** What all events of an answer have in common. */
interface ResponseContext {
  readonly actor: Actor;
  /** By `processKey`. */
  readonly publicPointers: ReadonlyMap<string, readonly string[]>;
  readonly chainId: number;
  readonly finalBlock: number;
}

/** The response of an event. One literal, to which little is added: objects that are put together cost ten times as much. */
const eventView = (event: EventRecord, context: ResponseContext): EventView => ({
  id: event.id,
  tenantId: context.actor.tenantSlug,
  processType: event.processType,
  processId: event.processId,
  processLabel: event.processLabel,
  processMapName: event.processMapName,
  processMapVersion: event.processMapVersion,
  kind: event.kind,
  containmentMode: event.containmentMode,
  status: event.status,
  failureReason: event.failureReason,
  actor: actorView(event, context),
  inputTokenIds: event.inputTokenIds.map(Number),
  inputs: event.inputs.map(inputView),
  outputTlc: event.outputTlc,
  outputCustodian: event.outputCustodian,
  outputTokenIds: event.outputTokenIds.map(Number),
  outputs: event.outputs.map(outputView),
  ipfsCid: event.ipfsCid,
  dataHash: event.dataHash,
  kde: event.kde,
  txHash: event.txHash,
  blockNumber: event.blockNumber === null ? null : Number(event.blockNumber),
  logIndex: event.logIndex,
  chainId: chainOf(event, context),
  contractAddress: event.contractAddress,
  errorDeclaration: event.errorDeclaration,
  supersedes: event.supersedes,
  supersededBy: event.supersededBy,
  createdAt: event.createdAt.toISOString(),
  updatedAt: event.updatedAt.toISOString(),
  calldataMismatch: event.calldataMismatch,
  ...signature(event),
  resolved: event.resolved,
  confirmed: event.blockNumber !== null && Number(event.blockNumber) <= context.finalBlock,
  ...clocks(event),
  ...content(event, context),
});

const chainOf = (event: EventRecord, context: ResponseContext): number =>
  event.chainId === null ? context.chainId : Number(event.chainId);

const signature = ({ senderMismatch, preparedSender, signedBy, paidBy }: EventRecord) => ({
  senderMismatch,
  preparedSender,
  relay: signedBy === null ? null : { signedBy, paidBy },
});

const clocks = (event: EventRecord) => ({
  eventTime: event.eventTime?.toISOString() ?? null,
  eventTimeZoneOffset: event.eventTimeZoneOffset,
  recordTime: event.recordTime.toISOString(),
  landedAt: event.landedAt?.toISOString() ?? null,
  late: event.late,
});

const inputView = (line: Line) => ({
  tokenId: line.tokenId!,
  tlc: line.tlc ?? null,
  gtin: line.gtin ?? null,
  serial: line.serial ?? null,
  assetType: line.assetType ?? null,
  quantity: line.quantity ?? null,
  uom: line.uom ?? null,
  consumption: line.consumption ?? null,
});

const outputView = (line: Line) => ({
  tokenId: line.tokenId ?? null,
  tlc: line.tlc ?? null,
  gtin: line.gtin ?? null,
  serial: line.serial ?? null,
  assetType: line.assetType ?? null,
  role: line.role ?? null,
  quantity: line.quantity ?? null,
  uom: line.uom ?? null,
  custodian: line.custodian ?? null,
  expiresAt: line.expiresAt ?? null,
});

function actorView(event: EventRecord, context: ResponseContext): EventActorView {
  const address = event.actorAddress;
  return {
    address,
    did: address === null ? null : walletDid(chainOf(event, context), address),
    orgId: event.orgId,
    orgName: event.actorOrgName,
  };
}

/** Warnings quote what they warn about, and a mass balance says what was lost: both are for callers who may read the whole event. */
function content(
  event: EventRecord,
  { actor, publicPointers }: ResponseContext,
): Pick<EventView, 'location' | 'metadata' | 'documents' | 'warnings' | 'mass' | 'contentState' | 'erased'> {
  // A correction belongs to the organisation of the event, also if another signed it.
  const orgId = actor.orgId === event.deedOrgId ? event.deedOrgId : event.orgId;
  const { location, metadata, documents } = readablePart(
    actor,
    { ...event, orgId },
    publicPointers.get(processKey(processOfEvent(event))) ?? [],
  );
  const all = readsAll(actor, orgId);
  const { contentState } = event;
  const forAll = { warnings: [...event.warnings], mass: event.mass, erased: [...event.erased] };
  return { location, metadata, documents: [...documents], contentState, ...(all ? forAll : { warnings: [], mass: null, erased: [] }) };
}
