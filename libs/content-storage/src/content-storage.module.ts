import { type DynamicModule, Global, Module } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { inChildSpan, tracingIsOn } from '#tracing';
import { type ContentAddress, ContentStore } from './content-store.js';
import { DatabaseContentStore } from './database/database-content-store.js';
import { FileContentStore } from './files/file-content-store.js';
import { KuboContentStore, type KuboOptions } from './kubo/kubo-content-store.js';
import { NotingContentStore } from './unsent/noting-content-store.js';

/** The store to use: files on one machine, the service's database, or an IPFS node. */
export type ContentEngine =
  | { readonly kind: 'files'; readonly folder: string }
  | { readonly kind: 'database' }
  | ({ readonly kind: 'kubo' } & KuboOptions);

/** Provides `ContentStore` to every module. The database kind needs `PersistenceModule` too. */
@Global()
@Module({})
export class ContentStorageModule {
  /** @param notes whether contents are noted until a record refers to them, in the table `content.unsettled` */
  static forRoot(engine: ContentEngine, { notes = false }: { readonly notes?: boolean } = {}): DynamicModule {
    return {
      module: ContentStorageModule,
      providers: [
        {
          provide: ContentStore,
          useFactory: (unitOfWork?: UnitOfWork) => {
            const bare = storeOf(engine, unitOfWork);
            const store = notes ? new NotingContentStore(bare, unitOfWork!) : bare;
            return tracingIsOn() ? new ContentStoreWithSpans(store) : store;
          },
          inject: [{ token: UnitOfWork, optional: true }],
        },
      ],
      exports: [ContentStore],
    };
  }
}

function storeOf(engine: ContentEngine, unitOfWork?: UnitOfWork): ContentStore {
  if (engine.kind === 'files') return new FileContentStore(engine.folder);
  if (engine.kind === 'kubo') return new KuboContentStore(engine);
  if (!unitOfWork) throw new Error('the content store in the database needs PersistenceModule');
  return new DatabaseContentStore(unitOfWork);
}

/** Adds spans to another store. */
export class ContentStoreWithSpans extends ContentStore {
  constructor(private readonly store: ContentStore) {
    super();
  }

  override put(bytes: Uint8Array): Promise<ContentAddress> {
    return inChildSpan('content put', options(bytes.length), () => this.store.put(bytes));
  }

  override putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    const bytes = contents.reduce((sum, { length }) => sum + length, 0);
    return inChildSpan('content put', options(bytes, contents.length), () => this.store.putAll(contents));
  }

  override get(cid: string): Promise<Uint8Array | null> {
    return inChildSpan('content get', { kind: 'client' }, () => this.store.get(cid));
  }

  override delete(cids: readonly string[]): Promise<void> {
    return inChildSpan('content delete', { kind: 'client', facts: { 'traceability.content.count': cids.length } }, () =>
      this.store.delete(cids),
    );
  }

  override check(): Promise<void> {
    return this.store.check();
  }
}

const options = (bytes: number, contents = 1) =>
  ({ kind: 'client', facts: { 'traceability.content.bytes': bytes, 'traceability.content.count': contents } }) as const;
