import { Injectable } from '@nestjs/common';
import { ContentStore, addressOf } from '#content-storage';
import { type AuditActor, AuditLog, Quotas } from '#identity';
import { Clock, NotCanonical, type Problem, type TenantScope, canonicalJson, invalidContent } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import semver from 'semver';
import { processMapExists, processMapOutdated, processTypeTaken } from '../domain/errors.js';
import { ProcessMap, type ProcessMapDocument } from '../domain/process-map.js';
import { ProcessMapCheck } from '../domain/process-map-check.js';
import { versionProblems } from '../domain/process-map-version.js';
import { ProcessMaps } from '../ports.js';
import { processMapSchema } from '../templates/templates.js';

type Publisher = TenantScope & AuditActor & { readonly id: string };

export interface Examined {
  readonly map: ProcessMap;
  /** The same document is published already. */
  readonly published: boolean;
}

const MAX_REMEMBERED = 1000;

/** Publishes a version of a process map for ever (domain-decisions §1). The same bytes again are the same publication. */
@Injectable()
export class PublishProcessMap {
  private readonly check = new ProcessMapCheck(processMapSchema);
  /** Documents that passed: compiling a map's schemas takes up to half a second, and tenants begin with the same templates. */
  private readonly sound = new Set<string>();

  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMaps,
    private readonly contents: ContentStore,
    private readonly quotas: Quotas,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * @param by tenant, and user or API key id
   * @throws DomainError 422 `invalid_content`, 409 `process_map_exists`, `process_map_outdated`, `process_type_taken`
   */
  async publish(by: Publisher, document: unknown): Promise<ProcessMap> {
    const bytes = bytesOf(document);
    const { map, published } = await this.examined(by, document, bytes);
    if (published) return map;
    await this.contents.put(bytes);
    // Compared again under the lock: somebody may have published meanwhile.
    return this.work.inTransaction(by, async (tx) => {
      await this.maps.lock(tx);
      const meanwhile = await this.compare(tx, map);
      if (meanwhile) return meanwhile;
      await this.quotas.take(tx, { bytes: bytes.length });
      await this.maps.publish(tx, map);
      const { name, version, cid } = map;
      await this.audit.record(tx, by.tenantId, by, { action: 'process_map.published', subject: name, details: { version, cid } });
      return map;
    });
  }

  /**
   * All that publishing would ask, and nothing changed.
   * @returns the map as it would be, or as it is where it is `published`
   * @throws what `publish` would
   */
  validate(by: Publisher, document: unknown): Promise<Examined> {
    return this.examined(by, document, bytesOf(document));
  }

  private async examined(by: Publisher, document: unknown, bytes: Uint8Array): Promise<Examined> {
    const { cid } = addressOf(bytes);
    this.requireSound(cid, document);
    const map = ProcessMap.published(by.tenantId, document as ProcessMapDocument, { cid, at: this.clock.now(), id: by.id });
    const known = await this.work.inTransaction(by, (tx) => this.compare(tx, map));
    return { map: known ?? map, published: known !== null };
  }

  private requireSound(cid: string, document: unknown): void {
    if (this.sound.has(cid)) return;
    refuse(this.check.problems(document));
    if (this.sound.size >= MAX_REMEMBERED) this.sound.clear();
    this.sound.add(cid);
  }

  /** The same publication if it is there already; null when the way is free. */
  private async compare(tx: TenantTx, map: ProcessMap): Promise<ProcessMap | null> {
    // The newest first: the same publication, committed between the two reads, must be found as the same, not as a newer one.
    const newest = await this.maps.newest(tx, map.name);
    const same = await this.maps.version(tx, map.name, map.version);
    if (same?.cid === map.cid) return same;
    if (same) throw processMapExists(map.name, map.version);
    if (newest && semver.lte(map.version, newest.version)) throw processMapOutdated(map.name, newest.version);
    if (newest) refuse(versionProblems(newest.document, map.document));
    await this.requireFreeKeys(tx, map);
    return null;
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

function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidContent(problems);
}

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
