import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { ContentKeyStore } from './content-key-store.js';
import { EpochKeys } from './epoch-keys.js';
import { ErasureLog, ErasureSettings } from './erasure-log.js';
import { KeyCheck } from './key-check.js';
import { ConfiguredKeys, KeyWrapper } from './key-wrapper.js';
import { NoteWords } from './note-words.js';
import { OpenContents } from './open-contents.js';
import { ReadContents } from './read-contents.js';
import { SealContents } from './seal-contents.js';
import { StoreContents } from './store-contents.js';

/** @param secrets the key of the service, then those that were replaced */
export const sealedContentsProviders = (secrets: readonly Buffer[]): Provider[] => [
  { provide: KeyWrapper, useValue: new ConfiguredKeys(secrets) },
  ContentKeyStore,
  NoteWords,
  OpenContents,
  ReadContents,
  SealContents,
  StoreContents,
];

/** Provides keys of sealed contents to every module. It needs `PersistenceModule`. */
@Global()
@Module({})
export class SealedContentsModule {
  /** @param secrets the key of the service, then those that were replaced */
  static forRoot(secrets: readonly Buffer[], erasure: ErasureSettings): DynamicModule {
    return {
      module: SealedContentsModule,
      providers: [
        ...sealedContentsProviders(secrets),
        KeyCheck,
        { provide: ErasureSettings, useValue: erasure },
        { provide: EpochKeys, useValue: new EpochKeys(erasure.folder, erasure.backupsKeptMs) },
        { provide: ErasureLog, useValue: new ErasureLog(erasure.logFile) },
      ],
      exports: [
        KeyWrapper,
        ContentKeyStore,
        EpochKeys,
        ErasureLog,
        ErasureSettings,
        NoteWords,
        OpenContents,
        ReadContents,
        SealContents,
        StoreContents,
      ],
    };
  }
}
