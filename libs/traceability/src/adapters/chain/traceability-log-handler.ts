import { Injectable } from '@nestjs/common';
import { eventIdFromBytes, type Hex } from '#kernel';
import { LogHandler, type TenantLogs } from '#chain';
import { Parties, Tenants } from '#identity';
import type { SystemTx, TenantTx } from '#persistence';
import { Projection } from '../../domain/projection.js';
import type { KnownEvent, Recording } from '../../domain/projection-event.js';
import { LandedEvent } from '../../domain/projection-landed.js';
import { insertRoles, loadRoles, undoRoles } from '../persistence/account-roles.js';
import {
  type ForeignEvent,
  insertForeign,
  landPrepared,
  loadEvents,
  supersedeEvents,
  undoEvents,
  voidEvents,
} from '../persistence/event-landing.js';
import { insertEdges, insertEventLots, undoLineage, voidEdges } from '../persistence/lineage-rows.js';
import { noteBlockTimes, undoBlockTimes } from '../persistence/block-times.js';
import { closeVersions, insertVersions, loadTouched, undoVersions } from '../persistence/lot-versions.js';
import { loadMapWords } from '../persistence/map-words.js';
import { changeInTurn, projectAffected, undoAffected } from '../persistence/recall-affected.js';
import { derivedIn, eventIdIn, eventsNamed, recordingsIn, touchedBy } from './batch-of-logs.js';
import { chainFacts, eventRecorded, nftCreated } from './chain-topics.js';
import { type Effects, FoldLogs } from './fold-logs.js';
import { ForeignContents } from './foreign-content.js';

/**
 * Lots, events and edges from the logs of one tenant. A batch costs a fixed number of statements, whatever its size: load
 * what it touches, fold in memory, write. Every id and value follows from the chain and the content, so the same logs give
 * the same rows again after an `undo`.
 */
@Injectable()
export class TraceabilityLogHandler extends LogHandler {
  /** Settled when nothing is being loaded or folded: what is applied now is with the database, and this process has time. */
  private folded: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly contents: ForeignContents,
    private readonly parties: Parties,
    private readonly tenants: Tenants,
  ) {
    super();
  }

  /** Content of events that were prepared here is not needed; which those are only the database knows. */
  override async lookAhead(tenantId: string, batch: TenantLogs): Promise<void> {
    await this.folded;
    return this.contents.lookAhead(batch, [...recordingsIn(tenantId, batch).values()]);
  }

  override async apply(tx: TenantTx, batch: TenantLogs): Promise<void> {
    if (batch.logs.length === 0) return;
    const folding = this.fold(tx, batch);
    this.folded = folding.catch(() => undefined);
    await this.write(tx, batch, await folding);
  }

  override async undo(tx: SystemTx, chainId: number, lastGoodBlock: number): Promise<void> {
    await undoVersions(tx, chainId, lastGoodBlock);
    await undoLineage(tx, chainId, lastGoodBlock);
    await undoAffected(tx, chainId, lastGoodBlock);
    await undoRoles(tx, chainId, lastGoodBlock);
    await undoBlockTimes(tx, chainId, lastGoodBlock);
    await undoEvents(tx, chainId, lastGoodBlock);
  }

  private async fold(tx: TenantTx, batch: TenantLogs): Promise<FoldLogs> {
    const fold = await this.load(tx, batch);
    fold.fold();
    return fold;
  }

  private async load(tx: TenantTx, batch: TenantLogs): Promise<FoldLogs> {
    const { logs } = batch;
    const known = await this.known(tx, batch);
    const voided = logs
      .filter((log) => log.name === 'EventVoided')
      .flatMap((log) => known.get(eventIdIn(batch, log.args.eventId, known)) ?? [])
      .flatMap((event) => [...event.inputTokenIds, ...event.outputTokenIds]);
    const lots = await loadTouched(tx, touchedBy(logs, voided));
    const correctors = logs.flatMap((log) => (log.name === 'EventAmended' ? [log.args.actor] : []));
    const roles = await loadRoles(tx, batch.contract, correctors);
    return new FoldLogs(batch, new Projection(lots), await this.landed(tx, batch, known), known, roles);
  }

  /** By the id that each is kept under. Those whose own id another contract's event has are looked for once more, under the derived one. */
  private async known(tx: TenantTx, batch: TenantLogs): Promise<ReadonlyMap<string, KnownEvent>> {
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
    return known;
  }

  private async landed(tx: TenantTx, batch: TenantLogs, known: ReadonlyMap<string, KnownEvent>): Promise<ReadonlyMap<Hex, LandedEvent>> {
    const recordings = [...recordingsIn(tx.tenantId, batch).values()];
    if (recordings.length === 0) return new Map();
    const preparedOf = ({ chainEventId }: Recording): KnownEvent | null => known.get(eventIdIn(batch, chainEventId, known)) ?? null;
    const foreign = recordings.filter((recording) => preparedOf(recording)?.dataHash !== recording.dataHash);
    const contents = await this.contents.of(batch, foreign);
    const maps = await loadMapWords(tx, foreign.length > 0 ? 'all' : mapsOf(recordings.map(preparedOf)));
    const labels = await this.parties.labels(tx, [...new Set(recordings.map((recording) => recording.actor))]);
    return new Map(
      recordings.map((recording) => {
        const sources = {
          prepared: preparedOf(recording),
          content: contents.get(recording.chainEventId) ?? null,
          maps,
          orgId: labels.get(recording.actor)?.orgId ?? null,
        };
        return [recording.chainEventId, new LandedEvent(eventIdIn(batch, recording.chainEventId, known), recording, sources)];
      }),
    );
  }

  private async write(tx: TenantTx, batch: TenantLogs, { projection, effects }: FoldLogs): Promise<void> {
    const { recorded, voided, superseded, roles, recalls } = effects;
    const changesSets = projection.edges.length + recalls.length + voided.length > 0;
    await tx.overlapping([
      () => closeVersions(tx, projection.closed),
      () => insertVersions(tx, projection.opened),
      () => this.publish(tx, effects),
      () => insertForeign(tx, recorded.filter((event) => !event.prepared).map(foreignEvent)),
      () =>
        landPrepared(
          tx,
          recorded.filter((event) => event.prepared),
        ),
      () => insertEventLots(tx, batch.chainId, recorded.flatMap(lotsNamedBy)),
      () => insertEdges(tx, batch.chainId, projection.edges),
      () => noteBlockTimes(tx, batch),
      () => voidEvents(tx, voided),
      () => supersedeEvents(tx, superseded),
      () => voidEdges(tx, voided),
      () => insertRoles(tx, batch.chainId, batch.contract, roles),
      () => (changesSets ? changeInTurn(tx) : Promise.resolve()),
    ]);
    await projectAffected(tx, batch.chainId, { recalls, voided, edges: projection.edges });
  }

  private async publish(tx: TenantTx, { recorded, minted }: Effects): Promise<void> {
    if (recorded.length === 0) return;
    const { slug } = await this.tenants.byId(tx.tenantId);
    const events = new Map(recorded.map((event) => [event.recording.chainEventId, { event, facts: chainFacts(slug, event) }]));
    await tx.publish([
      ...[...events.values()].map(({ event, facts }) => eventRecorded(facts, event)),
      ...minted.map(({ lot, log }) => {
        const { event, facts } = events.get(log.args.eventId)!;
        return nftCreated(facts, event, lot, log);
      }),
    ]);
  }
}

function mapsOf(prepared: readonly (KnownEvent | null)[]): { name: string; version: string }[] {
  const named = prepared.flatMap((event) =>
    event?.processMapName && event.processMapVersion ? [{ name: event.processMapName, version: event.processMapVersion }] : [],
  );
  return [...new Map(named.map((map) => [`${map.name}@${map.version}`, map])).values()];
}

const foreignEvent = (event: LandedEvent): ForeignEvent => ({
  id: event.id,
  chainEventId: event.recording.chainEventId,
  recordTime: event.recordTime,
  parts: event.parts(),
});

const lotsNamedBy = (event: LandedEvent) =>
  [...new Set([...event.recording.inputTokenIds, ...event.outputTokenIds])].map((tokenId) => ({
    eventId: event.id,
    tokenId,
    block: event.recording.at.block,
  }));
