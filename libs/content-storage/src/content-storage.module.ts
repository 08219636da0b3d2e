import { type DynamicModule, Global, Module } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { tracingIsOn } from '#tracing';
import { ContentStore } from './content-store.js';
import { DatabaseContentStore } from './database/database-content-store.js';
import { FileContentStore } from './files/file-content-store.js';
import { TracedContentStore } from './traced-content-store.js';
import { KuboContentStore, type KuboOptions } from './kubo/kubo-content-store.js';

/** Which store: files of one machine, the service's database, or an IPFS node. */
export type ContentEngine =
  | { readonly kind: 'files'; readonly folder: string }
  | { readonly kind: 'database' }
  | ({ readonly kind: 'kubo' } & KuboOptions);

/** Gives every module `ContentStore`. The database kind needs `PersistenceModule` beside it. */
@Global()
@Module({})
export class ContentStorageModule {
  static forRoot(engine: ContentEngine): DynamicModule {
    return {
      module: ContentStorageModule,
      providers: [
        {
          provide: ContentStore,
          useFactory: (unitOfWork?: UnitOfWork) => {
            const store = storeOf(engine, unitOfWork);
            return tracingIsOn() ? new TracedContentStore(store) : store;
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
