export {
  ContentKeyStore,
  type HeldKeys,
  type KeyedContent,
  KEYS_REMEDY,
  keysPersistence,
  lostKeys,
  TENANT_KEYS,
  type TenantKey,
  tenantRow,
} from './content-key-store.js';
export { type ErasedContent, type ErasureEntry, ErasureLog, ErasureSettings, entryName } from './erasure-log.js';
export { erasuresSeen, holdErasures, holdErasuresSince, lockErasures } from './erasure-fence.js';
export { EpochKeys } from './epoch-keys.js';
export { compareKeyDump, dumpKeys, readKeyDump, restoreKeys, UnusableKeyDump } from './key-dump.js';
export { ConfiguredKeys, KeyLost, KeyWrapper, openBytes, sealBytes } from './key-wrapper.js';
export { NoteWords } from './note-words.js';
export { OpenContents, type OpenedBlock } from './open-contents.js';
export { ReadContents } from './read-contents.js';
export { StoreContents, type StoredContents } from './store-contents.js';
export { SealContents } from './seal-contents.js';
export type { ContentToSeal, Sealing } from './sealing-work.js';
export { SealedContentsModule, sealedContentsProviders } from './sealed-contents.module.js';
