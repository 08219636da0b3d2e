import type { TenantScope } from '#kernel';
import type { TenantTx } from '#persistence';

export interface StoredFile {
  readonly id: string;
  readonly sha256: string;
  readonly size: number;
}

/** Bytes of any size, sealed in the content store. For contexts that take files. */
export abstract class StoredFiles {
  /**
   * @param use writes what refers to the file, in the transaction that stores it; it may run again; `isNew`: the quota has paid for its bytes now
   * @param shared whether the tenant keeps the same bytes once
   * @throws DomainError 429 `quota_exceeded`; EngineUnavailable('content_storage')
   */
  abstract store<T>(
    scope: TenantScope,
    file: { readonly bytes: Buffer; readonly sha256: string; readonly shared: boolean },
    use: (tx: TenantTx, stored: StoredFile, isNew: boolean) => Promise<T>,
  ): Promise<T>;
  /** Its bytes in their order. The first part is there when it resolves. @throws EngineUnavailable('content_storage') where some of it cannot be read */
  abstract read(scope: TenantScope, fileId: string): Promise<AsyncIterable<Buffer>>;
  /** Destroys its key and its rows: from then on nobody reads it, in a restored dump either. @param by user or API key id @returns deletes its bytes; call it when the transaction is committed */
  abstract remove(tx: TenantTx, fileId: string, by: string): Promise<() => Promise<void>>;
}

/** Looks for viruses in the bytes of a file, where a scanner is configured. */
export abstract class FileScan {
  /** @returns whether it was scanned @throws DomainError 422 `document_infected`, 503 `virus_scanner_unavailable` */
  abstract check(bytes: Buffer): Promise<boolean>;
}
