import type { Config } from '#config';
import { type ContentStore, DatabaseContentStore, FileContentStore, KuboContentStore } from '#content-storage';
import type { UnitOfWork } from '#persistence';
import { contentOf } from '../../../runtime/src/index.js';

/** The content store of the service, for a command. */
export function storeOf(config: Config, unitOfWork: UnitOfWork): ContentStore {
  const engine = contentOf(config);
  if (engine.kind === 'files') return new FileContentStore(engine.folder);
  if (engine.kind === 'kubo') return new KuboContentStore(engine);
  engine satisfies { readonly kind: 'database' };
  return new DatabaseContentStore(unitOfWork);
}
