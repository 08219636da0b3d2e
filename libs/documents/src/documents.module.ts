import { type DynamicModule, Module } from '@nestjs/common';
import { FileScan, StoredFiles } from './contract.js';
import { DocumentsSettings } from './documents.settings.js';
import { DeleteDocument } from './records/delete-document.js';
import { StoredDocumentsController } from './records/documents.controller.js';
import { DocumentQueries } from './records/documents.queries.js';
import { ReadDocument } from './records/read-document.js';
import { StoreDocument } from './records/store-document.js';
import { ClamdScan } from './scanning/clamd.client.js';
import { FileQueries } from './storage/files.queries.js';
import { SealedFiles } from './storage/store-files.js';

const storage = [FileQueries, { provide: StoredFiles, useClass: SealedFiles }];

/** Files for other contexts, also in a worker. */
@Module({ providers: storage, exports: [StoredFiles] })
export class FilesModule {}

@Module({})
export class DocumentsModule {
  static forRoot(settings: DocumentsSettings): DynamicModule {
    return {
      module: DocumentsModule,
      imports: [FilesModule],
      controllers: [StoredDocumentsController],
      providers: [
        ...storage,
        { provide: DocumentsSettings, useValue: settings },
        { provide: FileScan, useClass: ClamdScan },
        DeleteDocument,
        DocumentQueries,
        ReadDocument,
        StoreDocument,
      ],
      exports: [FileScan],
    };
  }
}
