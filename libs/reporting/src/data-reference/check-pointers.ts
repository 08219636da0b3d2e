import { cidFromDataHash, isContentCid } from '#content-storage';
import { Clock, type TenantScope, wrongIdentifier } from '#kernel';
import { UnitOfWork } from '#persistence';
import { holdErasuresSince } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import { ChainEvidence, type ContentRead, StoredContents } from './evidence.client.js';
import {
  type ChainReceipt,
  type DocumentPointer,
  type PointingEvent,
  type PointingToken,
  contentVerdict,
  dataHashVerdict,
  documentPointers,
  documentVerdict,
  identifierVerdict,
  identifiersIn,
  tokenVerdict,
  transactionVerdict,
} from './links.rules.js';
import { type CheckedPointer, checkedPointer } from './pointer.js';
import { type PointerCursor, PointerQueries } from './pointers.queries.js';
import { PointingRecordQueries, type PointingRecords } from './pointing-records.queries.js';

/** What store, chain and database returned for some events. */
interface Evidence {
  readonly contents: ReadonlyMap<string, ContentRead>;
  readonly receipts: ReadonlyMap<string, ChainReceipt | null>;
  /** Another event with the same SSCC, by `<event id>|<sscc>`. */
  readonly otherContainers: ReadonlyMap<string, string>;
  readonly chainMs: number;
}

/**
 * Asks store and chain and saves the results. Engines are asked outside of transactions. An engine that does not answer is no result, so
 * nothing is saved then.
 */
@Injectable()
export class CheckPointers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pointers: PointerQueries,
    private readonly contents: StoredContents,
    private readonly evidence: ChainEvidence,
    private readonly clock: Clock,
  ) {}

  /** @throws EngineUnavailable */
  async check(scope: TenantScope, records: PointingRecords): Promise<void> {
    await this.checkEvents(scope, records);
    await this.checkLots(scope, records);
  }

  private async checkEvents(scope: TenantScope, { events, erasures }: PointingRecords): Promise<void> {
    if (events.length === 0) return;
    const documents = new Map(events.map((event) => [event.id, documentsOf(event)]));
    const cids = events.flatMap(({ id, ipfsCid }) => [ipfsCid, ...documents.get(id)!.map(({ cid }) => cid)]);
    const began = performance.now();
    const [contents, receipts, otherContainers] = await Promise.all([
      this.contents.read(cids.filter((cid) => cid !== null)),
      this.evidence.receipts(events),
      this.unitOfWork.read(scope, (tx) => this.pointers.otherContainers(tx, events)),
    ]);
    const evidence = { contents, receipts, otherContainers, chainMs: Math.round(performance.now() - began) };
    const found = events.flatMap((event) => [
      ...recordPointers(event, evidence),
      ...documents.get(event.id)!.map((document) => pointerOfDocument(event, document, evidence)),
      ...identifierPointers(event, evidence),
    ]);
    await this.save(scope, erasures, events, found);
  }

  private async checkLots(scope: TenantScope, { lots, block, erasures }: PointingRecords): Promise<void> {
    if (lots.length === 0) return;
    const began = performance.now();
    const chain = await this.evidence.lots(lots, block);
    const latencyMs = Math.round(performance.now() - began);
    const found = lots.map(({ subject, recorded }) =>
      checkedPointer('nft', subject, subject.id, tokenVerdict(recorded, chain.lots.get(recorded.tokenId) ?? null), latencyMs),
    );
    // A difference to the present state proves nothing: the lot may have changed after the block.
    const proven = found.map(({ status }) => !chain.isCurrentState || status === 'ok');
    await this.save(
      scope,
      erasures,
      lots.filter((_, i) => proven[i]),
      found.filter((_, i) => proven[i]),
    );
  }

  /** Where something was erased since they were read, nothing is saved: they are checked again in the next lap. */
  private save(
    scope: TenantScope,
    erasures: number,
    records: readonly (PointingEvent | PointingToken)[],
    found: readonly CheckedPointer[],
  ): Promise<void> {
    const subjects = records.map(({ subject }) => subject);
    return this.unitOfWork.inTransaction(scope, async (tx) => {
      if (await holdErasuresSince(tx, erasures)) await this.pointers.save(tx, subjects, found, this.clock.now());
    });
  }
}

const documentsOf = (event: PointingEvent): readonly DocumentPointer[] =>
  documentPointers(event.documents, isContentCid, (hash) => cidFromDataHash(`0x${hash}`));

function recordPointers({ id, ipfsCid, subject, recorded }: PointingEvent, { contents, receipts, chainMs }: Evidence): CheckedPointer[] {
  const read = ipfsCid === null ? undefined : contents.get(ipfsCid);
  const receipt = receipts.get(id) ?? null;
  const contentHash = read?.stored.found === 'bytes' ? `0x${read.stored.sha256}` : null;
  return [
    ...(ipfsCid === null || !read ? [] : [checkedPointer('cid', subject, ipfsCid, contentVerdict(ipfsCid, read.stored), read.latencyMs)]),
    checkedPointer('dataHash', subject, recorded.dataHash, dataHashVerdict(recorded, receipt, contentHash), chainMs),
    checkedPointer('tx', subject, recorded.txHash, transactionVerdict(recorded, receipt), chainMs),
  ];
}

function pointerOfDocument({ subject }: PointingEvent, document: DocumentPointer, { contents }: Evidence): CheckedPointer {
  const read = document.cid === null ? undefined : contents.get(document.cid);
  const value = document.derived || document.cid === null ? (document.elsewhere ?? document.sha256!) : document.cid;
  return checkedPointer('document', subject, value, documentVerdict(document, read?.stored ?? null), read?.latencyMs ?? null);
}

const identifierPointers = ({ id, kind, subject, metadata }: PointingEvent, { otherContainers }: Evidence): CheckedPointer[] =>
  identifiersIn(metadata).map((identifier) => {
    const { key, value } = identifier;
    const usedBy = key === 'sscc' && kind === 'aggregation' ? (otherContainers.get(`${id}|${value}`) ?? null) : null;
    const verdict = identifierVerdict(identifier, wrongIdentifier(key, value) === null, usedBy);
    return checkedPointer('ext', subject, `${key}:${value}`, verdict);
  });

const LEASE_MS = 60_000;
const BEGINNING = { eventBlock: 0, eventId: null, tokenId: 0n } as const;

interface Pace {
  readonly everyMs: number;
  readonly batch: number;
  readonly lapMs: number;
}

/**
 * Checks a tenant's events by block and its lots by token id, one batch at a time, and begins a new lap when the last one is old enough.
 * The cursor is stored after each batch, so a batch that was not completed is checked again.
 */
@Injectable()
export class CheckBatch {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pointers: PointerQueries,
    private readonly records: PointingRecordQueries,
    private readonly checkPointers: CheckPointers,
    private readonly clock: Clock,
  ) {}

  /** One batch of a tenant that is due. @returns whether there was one. @throws EngineUnavailable */
  async checkNext(pace: Pace): Promise<boolean> {
    const tenantId = await this.unitOfWork.asSystem(async (tx) =>
      (await this.records.areRebuilt(tx)) ? null : this.pointers.acquire(tx, this.clock.now(), LEASE_MS),
    );
    if (tenantId === null) return false;
    const { cursor, records } = await this.unitOfWork.inSnapshot({ tenantId }, async (tx) => {
      const before = await this.pointers.cursor(tx);
      return { cursor: before, records: await this.records.batchAfter(tx, before, pace.batch) };
    });
    await this.checkPointers.check({ tenantId }, records);
    const now = this.clock.now();
    const next = cursorAfter(cursor, records, pace, now);
    await this.unitOfWork.write({ tenantId }, (tx) => this.pointers.saveCursor(tx, next, new Date(now.getTime() + pace.everyMs)));
    return true;
  }
}

function cursorAfter(cursor: PointerCursor, { events, lots }: PointingRecords, { batch, lapMs }: Pace, now: Date): PointerCursor {
  const isLapComplete = events.length < batch && lots.length < batch;
  if (isLapComplete && now.getTime() - cursor.lapBeganAt.getTime() >= lapMs) return { ...BEGINNING, lapBeganAt: now, lapEndedAt: now };
  return {
    eventBlock: events.at(-1)?.recorded.blockNumber ?? cursor.eventBlock,
    eventId: events.at(-1)?.id ?? cursor.eventId,
    tokenId: lots.at(-1)?.recorded.tokenId ?? cursor.tokenId,
    lapBeganAt: cursor.lapBeganAt,
    lapEndedAt: isLapComplete ? now : cursor.lapEndedAt,
  };
}
