export {
  ContentKeyStore,
  type HeldKeys,
  type KeyedContent,
  KEYS_REMEDY,
  keysPersistence,
  lostKeys,
  TENANT_KEYS,
  type TenantKey,
} from './content-key-store.js';
export { ConfiguredKeys, KeyLost, KeyWrapper } from './key-wrapper.js';
export { CONTENT_STATES, type ContentState, OpenContents, type OpenedBlock } from './open-contents.js';
export { ReadContents } from './read-contents.js';
export { StoreContents, type StoredContents } from './store-contents.js';
export { SealContents } from './seal-contents.js';
export type { ContentToSeal, Sealing } from './sealing-work.js';
export { SealedContentsModule, sealedContentsProviders } from './sealed-contents.module.js';
