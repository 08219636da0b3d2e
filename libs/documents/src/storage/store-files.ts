import { randomBytes } from 'node:crypto';
import { ContentStore, CorruptContent } from '#content-storage';
import { EngineUnavailable, type TenantScope, newId, yieldToEventLoop } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { StorageQuota } from '#prepare';
import { ContentKeyStore, KeyLost, type TenantKey, openBytes, sealBytes } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import { type StoredFile, StoredFiles } from '../contract.js';
import { PART_BYTES, keyOfFile, keysOfFile, partName, partsIn } from './file-parts.js';
import { FileQueries } from './files.queries.js';

/** Parts that are sealed and stored at once: four megabytes. */
const AT_ONCE = 16;
const KEY_BYTES = 32;

interface FileToStore {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly shared: boolean;
}

interface SealedParts {
  readonly id: string;
  readonly key: Buffer;
  readonly cids: readonly string[];
  readonly tenantKey: TenantKey;
}

/** Seals files in parts: the blocks of the content store are small, and a reader gets the first part before the last one is opened. */
@Injectable()
export class SealedFiles extends StoredFiles {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contents: ContentStore,
    private readonly keys: ContentKeyStore,
    private readonly files: FileQueries,
    private readonly quota: StorageQuota,
  ) {
    super();
  }

  override async store<T>(
    scope: TenantScope,
    file: FileToStore,
    use: (tx: TenantTx, stored: StoredFile, isNew: boolean) => Promise<T>,
  ): Promise<T> {
    if (file.shared) {
      const used = await this.useStored(scope, file.sha256, use);
      if (used) return used.result;
    }
    const sealed = await this.seal(scope, file.bytes);
    const stored = { id: sealed.id, sha256: file.sha256, size: file.bytes.length };
    return this.work.inTransaction(scope, async (tx) => {
      if (!(await this.files.insert(tx, { ...stored, shared: file.shared }, sealed.cids)))
        // Another request has stored the same bytes meanwhile; these parts have no key and are deleted with what was never sent.
        return use(tx, (await this.files.lockShared(tx, file.sha256))!, false);
      await this.quota.take(tx, { bytes: stored.size });
      await this.keys.insert(tx, sealed.tenantKey, [{ cid: sealed.cids[0]!, keys: keysOfFile(sealed.key), hidden: [] }]);
      return use(tx, stored, true);
    });
  }

  override async read(scope: TenantScope, fileId: string): Promise<AsyncIterable<Buffer>> {
    const { cids, key } = await this.work.inSnapshot(scope, async (tx) => {
      const parts = await this.files.parts(tx, fileId);
      const held = (await this.keys.find(scope, parts.slice(0, 1), tx)).get(parts[0] ?? '');
      return { cids: parts, key: held === undefined || held === 'key_lost' ? null : keyOfFile(held.keys) };
    });
    if (key === null || cids.length === 0) throw new EngineUnavailable('content_storage', new KeyLost(`the key of file ${fileId} is lost`));
    const open = (place: number): Promise<Buffer> => this.openPart(cids[place]!, key, partName(scope.tenantId, fileId, place, cids.length));
    const first = await open(0);
    return (async function* () {
      yield first;
      for (let place = 1; place < cids.length; place++) yield await open(place);
    })();
  }

  override async remove(tx: TenantTx, fileId: string, by: string): Promise<() => Promise<void>> {
    const cids = await this.files.parts(tx, fileId);
    if (cids.length > 0) await this.keys.erase(tx, cids[0]!, by);
    await this.files.delete(tx, fileId);
    return () => this.contents.delete(cids);
  }

  private async useStored<T>(
    scope: TenantScope,
    sha256: string,
    use: (tx: TenantTx, stored: StoredFile, isNew: boolean) => Promise<T>,
  ): Promise<{ readonly result: T } | null> {
    return this.work.inTransaction(scope, async (tx) => {
      const known = await this.files.lockShared(tx, sha256);
      return known ? { result: await use(tx, known, false) } : null;
    });
  }

  private async seal(scope: TenantScope, bytes: Buffer): Promise<SealedParts> {
    const tenantKey = await this.keys.tenantKey(scope).catch((error: unknown) => {
      throw error instanceof KeyLost ? new EngineUnavailable('content_storage', error) : error;
    });
    const [id, key] = [newId(), randomBytes(KEY_BYTES)];
    const count = partsIn(bytes.length);
    const cids: string[] = [];
    for (let place = 0; place < count; place += AT_ONCE) {
      const parts = Array.from({ length: Math.min(AT_ONCE, count - place) }, (_, i) => {
        const from = (place + i) * PART_BYTES;
        return sealBytes(bytes.subarray(from, from + PART_BYTES), key, partName(scope.tenantId, id, place + i, count));
      });
      cids.push(...(await this.contents.putAll(parts)).map(({ cid }) => cid));
      await yieldToEventLoop();
    }
    return { id, key, cids, tenantKey };
  }

  private async openPart(cid: string, key: Uint8Array, name: string): Promise<Buffer> {
    try {
      const part = await this.contents.get(cid);
      if (part) return openBytes(part, key, name);
    } catch (error) {
      if (error instanceof CorruptContent || error instanceof KeyLost) throw new EngineUnavailable('content_storage', error);
      throw error;
    }
    throw new EngineUnavailable('content_storage', new Error(`the content store has lost ${cid}`));
  }
}
