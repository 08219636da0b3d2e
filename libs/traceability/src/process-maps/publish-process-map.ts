import { Injectable } from '@nestjs/common';
import { addressOf, ContentStore, MAX_CONTENT_BYTES } from '#content-storage';
import { type Actor, Clock, NotCanonical, type Problem, type TenantScope, canonicalJson, invalidContent, requireProcess } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { processMapExists, processMapOutdated, processTypeTaken } from '../errors.js';
import { ProcessMap, type ProcessMapDocument } from './process-map.js';
import { isHigher } from './process-map-version.js';
import { valuesIn } from './schemas/schema-cost.js';
import { SchemaThreads, TookTooLong } from './schemas/schema-threads.client.js';
import { ProcessMapQueries } from './process-maps.queries.js';
import { type AuditActor, AuditLog, Quotas } from '#identity';

/** What publishing a document would do. */
interface MapExamination {
  readonly map: ProcessMap;
  readonly bytes: Uint8Array;
  /** The same document is published already. */
  readonly published: boolean;
  /** The version that it was compared with; null where it is the first. */
  readonly newest: ProcessMap | null;
}

/** What is published under the name of a map. */
interface PublishedVersions {
  /** The same publication. */
  readonly same: ProcessMap | null;
  readonly newest: ProcessMap | null;
}

const MAX_REMEMBERED = 1000;
/** Values of a map; the largest template has 2,000. Those of one or two bytes take fifty times as much memory. */
const MAX_VALUES = 25_000;

/** Checks a document and compares it with what is published (docs/spec/domain.md#process-maps). Changes nothing. */
@Injectable()
export class ExamineProcessMap {
  /** CIDs of documents that passed: compiling the schemas of a map takes up to half a second, and tenants begin with the same templates. */
  private readonly valid = new Set<string>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMapQueries,
    private readonly clock: Clock,
    private readonly threads: SchemaThreads,
  ) {}

  /**
   * @param by tenant, and user or API key id
   * @throws DomainError 422 `invalid_content`, 403 `process_out_of_scope`, 409 `process_map_exists`, `process_map_outdated`, `process_type_taken`
   */
  async examine(by: TenantScope & { readonly id: string }, document: unknown): Promise<MapExamination> {
    if (valuesIn(document, MAX_VALUES) > MAX_VALUES) refuse(tooLarge(`has more than ${MAX_VALUES} JSON values`));
    const bytes = bytesOf(document);
    if (bytes.length > MAX_CONTENT_BYTES)
      refuse(tooLarge(`has ${bytes.length} bytes in its canonical form; at most 256 KiB are published`));
    const { cid } = addressOf(bytes);
    await this.requireValid(by.tenantId, cid, document);
    const map = ProcessMap.published(by.tenantId, document as ProcessMapDocument, { cid, at: this.clock.now(), id: by.id });
    const { same, newest } = await this.work.inTransaction(by, (tx) => this.publishedVersions(tx, map, by));
    if (same) return { map: same, bytes, published: true, newest };
    if (newest) refuse(await this.compare(newest, map));
    return { map, bytes, published: false, newest };
  }

  private async requireValid(tenantId: string, cid: string, document: unknown): Promise<void> {
    if (this.valid.has(cid)) return;
    refuse(await inTime(this.threads.run(tenantId, { kind: 'check', document })));
    if (this.valid.size >= MAX_REMEMBERED) this.valid.clear();
    this.valid.add(cid);
  }

  private compare(newest: ProcessMap, map: ProcessMap): Promise<readonly Problem[]> {
    return inTime(this.threads.run(map.tenantId, { kind: 'compare', older: newest.document, newer: map.document }));
  }

  /** @throws DomainError 403 `process_out_of_scope`, 409 `process_map_exists`, `process_map_outdated`, `process_type_taken` */
  async publishedVersions(tx: TenantTx, map: ProcessMap, by: object): Promise<PublishedVersions> {
    // The newest first: the same publication, committed between the two reads, must be found as the same, not as a newer one.
    const newest = await this.maps.newest(tx, map.name);
    const same = await this.maps.version(tx, map.name, map.version);
    if (same?.cid === map.cid) return { same, newest };
    if ('roles' in by) requireMapInScope(by as Actor, map, newest);
    if (same) throw processMapExists(map.name, map.version);
    if (newest && !isHigher(map.version, newest.version)) throw processMapOutdated(map.name, newest.version);
    await this.requireFreeKeys(tx, map);
    return { same: null, newest };
  }

  private async requireFreeKeys(tx: TenantTx, map: ProcessMap): Promise<void> {
    const owners = new Map((await this.maps.processTypes(tx)).map((known) => [known.processType.toLowerCase(), known]));
    for (const processType of Object.keys(map.document.processes)) {
      const owner = owners.get(processType.toLowerCase());
      if (owner && (owner.mapName !== map.name || owner.processType !== processType))
        throw processTypeTaken(owner.processType, owner.mapName);
    }
  }
}

/** docs/spec/reliability.md#delegation: an administrator publishes maps of the own processes. @throws DomainError 403 `process_out_of_scope` */
function requireMapInScope(actor: Actor, ...maps: readonly (ProcessMap | null)[]): void {
  for (const map of maps)
    for (const processType of Object.keys(map?.document.processes ?? {})) requireProcess(actor, processType, ['TENANT_ADMIN']);
}

/** What takes too long is refused at the place where the thread was. */
async function inTime(problems: Promise<readonly Problem[]>): Promise<readonly Problem[]> {
  try {
    return await problems;
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    return [{ pointer: error.pointer, code: 'schema_too_costly', message: 'took too long to check: simplify the schemas of the map' }];
  }
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidContent(problems);
}

/** What a content store cannot hold, or would fill the memory (docs/spec/domain.md#schemas-of-a-map). */
const tooLarge = (message: string): readonly Problem[] => [{ pointer: '', code: 'too_large', message }];

function bytesOf(document: unknown): Uint8Array {
  try {
    const text = canonicalJson(document);
    if (text.includes(String.raw`\u0000`))
      throw invalidContent([{ pointer: '', code: 'nul_character', message: 'contains the character U+0000' }]);
    return Buffer.from(text);
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    throw invalidContent([{ pointer: error.pointer, code: error.code, message: error.message }]);
  }
}

type Publisher = TenantScope & AuditActor & { readonly id: string };

/** Stores a version that nothing prevents any more, counts its bytes and writes the audit log. */
@Injectable()
export class StoreProcessMap {
  constructor(
    private readonly maps: ProcessMapQueries,
    private readonly quotas: Quotas,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError 429 `quota_exceeded` */
  async store(tx: TenantTx, by: Publisher, map: ProcessMap, bytes: number): Promise<void> {
    const { name, version, cid } = map;
    await this.quotas.take(tx, { bytes });
    await this.maps.publish(tx, map);
    await this.audit.record(tx, by.tenantId, by, { action: 'process_map.published', subject: name, details: { version, cid } });
  }
}

/** Publishes a version of a process map, which never changes (docs/spec/domain.md#process-maps). The same bytes again are the same publication. */
@Injectable()
export class PublishProcessMap {
  constructor(
    private readonly work: UnitOfWork,
    private readonly examination: ExamineProcessMap,
    private readonly maps: ProcessMapQueries,
    private readonly contents: ContentStore,
    private readonly storing: StoreProcessMap,
  ) {}

  /**
   * @param by tenant, and user or API key id
   * @throws what `ExamineProcessMap.examine` throws, 429 `quota_exceeded`
   */
  async publish(by: Publisher, document: unknown): Promise<ProcessMap> {
    for (;;) {
      const { map, bytes, published, newest } = await this.examination.examine(by, document);
      if (published) return map;
      await this.contents.put(bytes);
      // Read again under the lock: another request may have published meanwhile, and then there is something else to compare with.
      const done = await this.work.inTransaction(by, async (tx) => {
        await this.maps.lock(tx);
        const now = await this.examination.publishedVersions(tx, map, by);
        if (now.same) return now.same;
        if (now.newest?.cid !== newest?.cid) return null;
        await this.storing.store(tx, by, map, bytes.length);
        return map;
      });
      if (done) return done;
    }
  }
}
