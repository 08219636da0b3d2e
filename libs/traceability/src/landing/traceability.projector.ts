import { Injectable } from '@nestjs/common';
import { eventIdFromBytes, type Hex, signatureOf } from '#kernel';
import { ChainProjector, type LogBatch } from '#chain';
import { Parties, Tenants } from '#identity';
import type { SystemTx, TenantTx } from '#persistence';
import { LotFold } from './lot-fold.js';
import type { KnownRecord, Recording } from '../events/event-record.js';
import { LandedEvent } from './landed-event.js';
import { partsOf } from './landed-event.queries.js';
import { insertRoles, loadRoles, undoRoles } from '../corrections/corrections.queries.js';
import {
  type ExternalRecording,
  insertExternal,
  landPrepared,
  loadEvents,
  supersedeEvents,
  undoEvents,
  loadDeclarations,
  voidEvents,
} from './event-landing.queries.js';
import {
  insertEdges,
  insertEventLots,
  undoLineage,
  voidEdges,
  closeVersions,
  insertVersions,
  loadTouched,
  partsOfLots,
  undoVersions,
} from './lots-landing.queries.js';
import { noteBlockTimes, undoBlockTimes } from '../lots/lot-state.queries.js';
import { loadMapWords } from '../process-maps/process-maps.queries.js';
import { lockAffectedSets, updateAffected, undoAffected } from '../lineage/recall-affected.queries.js';
import { derivedIn, eventIdIn, eventsNamed, recordingsIn, touchedBy } from './read-log-batch.js';
import { failTaken, freeTaken, type LandedCode, undoTaken } from './taken-codes.queries.js';
import { noteRetractions } from './retractions.queries.js';
import { chainFacts, eventRecordedMessage, nftCreatedMessage } from './landing-topics.projector.js';
import { type Effects, FoldLogs } from './fold-logs.js';
import { ExternalContents } from './find-external-content.js';
import { loadSealingStart, noteSealingStart, undoSealingStart } from './sealing-start.queries.js';

/**
 * Lots, events and edges from the logs of one tenant. A batch costs a fixed number of statements, whatever its size: load
 * what it touches, fold in memory, write. Every id and value follows from the chain and the content, so the same logs give
 * the same rows again after an `undo`.
 */
@Injectable()
export class TraceabilityProjector extends ChainProjector {
  /** Settles when nothing is being loaded or folded: then the database is busy writing, and this process is free. */
  private folded: Promise<unknown> = Promise.resolve();
  /** By tenant the block from which it seals, where that is known: each batch would ask for it otherwise. */
  private readonly sealedFrom = new Map<string, number>();

  constructor(
    private readonly contents: ExternalContents,
    private readonly parties: Parties,
    private readonly tenants: Tenants,
  ) {
    super();
  }

  /** Fetches content of all events; that of events prepared here is not needed, but only the database knows which these are. */
  override async prefetch(tenantId: string, batch: LogBatch): Promise<void> {
    await this.folded;
    return this.contents.fetchAhead(batch, [...recordingsIn(tenantId, batch).values()]);
  }

  override async apply(tx: TenantTx, batch: LogBatch): Promise<void> {
    if (batch.logs.length === 0) return;
    const folding = this.fold(tx, batch);
    this.folded = folding.catch(() => undefined);
    await this.write(tx, batch, await folding);
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number, wasFinal = -1): Promise<void> {
    await noteRetractions(tx, chainId, lastGoodBlock, wasFinal);
    await undoVersions(tx, chainId, lastGoodBlock);
    await undoLineage(tx, chainId, lastGoodBlock);
    await undoAffected(tx, chainId, lastGoodBlock);
    await undoRoles(tx, chainId, lastGoodBlock);
    await undoBlockTimes(tx, chainId, lastGoodBlock);
    await undoEvents(tx, chainId, lastGoodBlock);
    await undoTaken(tx, chainId, lastGoodBlock);
    await undoSealingStart(tx, chainId, lastGoodBlock);
    this.sealedFrom.clear();
  }

  private async fold(tx: TenantTx, batch: LogBatch): Promise<FoldLogs> {
    const fold = await this.load(tx, batch);
    fold.fold();
    return fold;
  }

  private async load(tx: TenantTx, batch: LogBatch): Promise<FoldLogs> {
    const { logs } = batch;
    const known = await this.known(tx, batch);
    const voided = logs
      .filter((log) => log.name === 'EventVoided')
      .flatMap((log) => known.get(eventIdIn(batch, log.args.eventId, known)) ?? [])
      .flatMap((event) => [...event.inputTokenIds, ...event.outputTokenIds]);
    const corrected = lotsOfCorrected(batch, known);
    const lots = await loadTouched(tx, touchedBy(logs, [...voided, ...corrected, ...(await partsOfLots(tx, corrected))]));
    const correctors = logs.flatMap((log) => (log.name === 'EventAmended' ? [log.args.actor] : []));
    const roles = await loadRoles(tx, batch.contract, correctors);
    return new FoldLogs(batch, new LotFold(lots), await this.landed(tx, batch, known), known, roles);
  }

  /** By the id of their row. An event whose own id is taken by another contract's event is read again under its derived id. */
  private async known(tx: TenantTx, batch: LogBatch): Promise<ReadonlyMap<string, KnownRecord>> {
    const named = [...eventsNamed(batch.logs)];
    const known = new Map(
      (
        await loadEvents(
          tx,
          named.map((id) => eventIdFromBytes(id) ?? derivedIn(batch, id)),
        )
      ).map((event) => [event.id, event]),
    );
    const others = named.filter((id) => (known.get(eventIdFromBytes(id) ?? '')?.contract ?? batch.contract) !== batch.contract);
    for (const event of await loadEvents(
      tx,
      others.map((id) => derivedIn(batch, id)),
    ))
      known.set(event.id, event);
    for (let open = [...known.values()]; open.length > 0;) {
      const missing = open.flatMap(({ supersedes }) => (supersedes === null || known.has(supersedes) ? [] : [supersedes]));
      open = await loadEvents(tx, [...new Set(missing)]);
      for (const event of open) known.set(event.id, event);
    }
    return known;
  }

  private async landed(tx: TenantTx, batch: LogBatch, known: ReadonlyMap<string, KnownRecord>): Promise<ReadonlyMap<Hex, LandedEvent>> {
    const recordings = [...recordingsIn(tx.tenantId, batch).values()];
    if (recordings.length === 0) return new Map();
    const preparedOf = ({ chainEventId }: Recording): KnownRecord | null => known.get(eventIdIn(batch, chainEventId, known)) ?? null;
    const isExternal = (recording: Recording): boolean => preparedOf(recording)?.dataHash !== recording.dataHash;
    const external = recordings.filter(isExternal);
    const contents = await this.contents.of(tx, batch, external);
    const maps = await loadMapWords(tx, external.length > 0 ? 'all' : mapsOf(recordings.map(preparedOf)));
    const labels = await this.parties.labels(tx, [...new Set(recordings.map((recording) => recording.actor))]);
    const sealedFrom = await this.sealingStart(tx, recordings, (recording) =>
      isExternal(recording) ? contents.get(recording.chainEventId)?.version : preparedOf(recording)?.contentVersion,
    );
    return new Map(
      recordings.map((recording) => {
        const sources = {
          prepared: preparedOf(recording),
          content: contents.get(recording.chainEventId) ?? null,
          maps,
          orgId: labels.get(recording.actor)?.orgId ?? null,
          sealedFrom,
        };
        return [recording.chainEventId, new LandedEvent(eventIdIn(batch, recording.chainEventId, known), recording, sources)];
      }),
    );
  }

  /** Of the tenant, with this batch; the first sealed content writes it. */
  private async sealingStart(
    tx: TenantTx,
    recordings: readonly Recording[],
    versionOf: (recording: Recording) => number | null | undefined,
  ): Promise<number | null> {
    const known = this.sealedFrom.get(tx.tenantId) ?? (await loadSealingStart(tx));
    if (known !== null) {
      this.sealedFrom.set(tx.tenantId, known);
      return known;
    }
    const first = recordings.find((recording) => versionOf(recording) === 2);
    if (!first) return null;
    await noteSealingStart(tx, first.chainId, first.at.block);
    return first.at.block;
  }

  private async write(tx: TenantTx, batch: LogBatch, { lotFold, effects }: FoldLogs): Promise<void> {
    const { recorded, minted, superseded, roles, recalls } = effects;
    const voided = effects.voided.length > 0 ? await this.declared(tx, effects.voided) : [];
    const changesSets = lotFold.edges.length + recalls.length + voided.length > 0;
    await tx.pipelined([
      () => closeVersions(tx, lotFold.closed),
      () => insertVersions(tx, lotFold.opened),
      () => this.publish(tx, effects),
      () => insertExternal(tx, recorded.filter((event) => !event.prepared).map(eventOfOthers)),
      () =>
        landPrepared(
          tx,
          recorded.filter((event) => event.prepared),
        ),
      () => insertEventLots(tx, batch.chainId, recorded.flatMap(lotsNamedBy)),
      () => insertEdges(tx, batch.chainId, lotFold.edges),
      () => noteBlockTimes(tx, batch),
      () => failTaken(tx, batch.chainId, minted.flatMap(codeOf)),
      () => voidEvents(tx, voided),
      () => freeTaken(tx, voided),
      () => supersedeEvents(tx, superseded),
      () => voidEdges(tx, voided),
      () => insertRoles(tx, batch.chainId, batch.contract, roles),
      () => (changesSets ? lockAffectedSets(tx) : Promise.resolve()),
    ]);
    await updateAffected(tx, batch.chainId, { recalls, voided, edges: lotFold.edges });
  }

  /** With the words of those that were declared here, and whether another one signed than they were prepared for. */
  private async declared(tx: TenantTx, voided: Effects['voided']): Promise<Effects['voided']> {
    const [declarations, labels] = await Promise.all([
      loadDeclarations(tx, voided),
      this.parties.labels(
        tx,
        voided.map(({ declaration }) => declaration.actor),
      ),
    ]);
    return voided.map((one) => {
      const declared = declarations.get(one.eventId);
      if (!declared) return one;
      const { actor: address } = one.declaration;
      const { reason, correctiveEventIDs } = declared;
      const signature = signatureOf(declared, { address, orgId: labels.get(address)?.orgId ?? null });
      return { ...one, declaration: { ...one.declaration, reason, correctiveEventIDs, ...signature } };
    });
  }

  private async publish(tx: TenantTx, { recorded, minted }: Effects): Promise<void> {
    if (recorded.length === 0) return;
    const { slug } = await this.tenants.byId(tx.tenantId);
    const events = new Map(recorded.map((event) => [event.recording.chainEventId, { event, facts: chainFacts(slug, event) }]));
    await tx.publish([
      ...[...events.values()].map(({ event, facts }) => eventRecordedMessage(facts, event)),
      ...minted.map(({ lot, log }) => {
        const { event, facts } = events.get(log.args.eventId)!;
        return nftCreatedMessage(facts, event, lot, log);
      }),
    ]);
  }
}

/** None while the text of the code is unknown. */
const codeOf = ({ lot, log }: Effects['minted'][number]): LandedCode[] =>
  lot.resolved ? [{ key: lot.key, eventId: lot.mintEventId, block: log.block.number, at: log.block.timestamp }] : [];

/** Lots of the events that these logs correct: what is said of them may change. */
function lotsOfCorrected(batch: LogBatch, known: ReadonlyMap<string, KnownRecord>): bigint[] {
  const corrects = batch.logs.some((log) => log.name === 'EventAmended');
  return corrects ? [...known.values()].flatMap((event) => [...event.inputTokenIds, ...event.outputTokenIds]) : [];
}

function mapsOf(prepared: readonly (KnownRecord | null)[]): { name: string; version: string }[] {
  const named = prepared.flatMap((event) =>
    event?.processMapName && event.processMapVersion ? [{ name: event.processMapName, version: event.processMapVersion }] : [],
  );
  return [...new Map(named.map((map) => [`${map.name}@${map.version}`, map])).values()];
}

const eventOfOthers = (event: LandedEvent): ExternalRecording => ({
  id: event.id,
  chainEventId: event.recording.chainEventId,
  recordTime: event.recordTime,
  parts: partsOf(event),
});

const lotsNamedBy = (event: LandedEvent) =>
  [...new Set([...event.recording.inputTokenIds, ...event.outputTokenIds])].map((tokenId) => ({
    eventId: event.id,
    tokenId,
    block: event.recording.at.block,
  }));
