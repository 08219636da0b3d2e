import { Readable } from 'node:stream';
import { Access, ApiProblems, CONTENT_UNAVAILABLE, CreatedAt, CurrentActor, Heavy, ReadsBody, pageView } from '#http';
import { quotaExceeded } from '#identity';
import { type Actor, roleRequired } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { documentInfected, documentNotFound, documentTypeRefused, scannerUnavailable } from '../errors.js';
import { DeleteDocument } from './delete-document.js';
import {
  DocumentBody,
  MAX_DOCUMENT_BYTES,
  StoredDocumentPageView,
  StoredDocumentView,
  StoredDocumentsQuery,
  documentView,
} from './documents.dto.js';
import { DocumentQueries } from './documents.queries.js';
import { MEDIA_TYPES } from './media-type.js';
import { ReadDocument, readerOf } from './read-document.js';
import { StoreDocument } from './store-document.js';

/** The other parts of the body, and what is between them. */
const OTHER_PARTS = 64 * 1024;

const FILE_CONTENT = Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));

interface StatusReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

@ApiTags('Documents')
@Controller('api/v1/documents')
export class StoredDocumentsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: DocumentQueries,
    private readonly storeDocument: StoreDocument,
    private readonly readDocument: ReadDocument,
    private readonly deleteDocument: DeleteDocument,
  ) {}

  @Post()
  @Heavy()
  @Access({ roles: ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @ReadsBody({ bodyLimit: MAX_DOCUMENT_BYTES + OTHER_PARTS, multipart: true })
  @ApiOperation({
    operationId: 'uploadDocument',
    summary: 'Store a document that events refer to',
    description:
      'The type is that of the content, whatever the file is called. The same file with the same visibility, type and number is stored once: then the answer is 200 with the document of before. An event refers to it by `sha256`; `reference` is the line for its `documents[]`.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiCreatedResponse({ type: StoredDocumentView })
  @ApiOkResponse({ type: StoredDocumentView, description: 'It was stored before' })
  @CreatedAt(({ id }: StoredDocumentView) => `/api/v1/documents/${id}`)
  @ApiProblems(documentTypeRefused, documentInfected, scannerUnavailable, quotaExceeded, CONTENT_UNAVAILABLE)
  async upload(
    @CurrentActor() actor: Actor,
    @Body() body: DocumentBody,
    @Res({ passthrough: true }) reply: StatusReply,
  ): Promise<StoredDocumentView> {
    const { file, visibility, type = null, number = null } = body;
    const { name, bytes, sha256 } = file;
    const { document, isNew } = await this.storeDocument.store(actor, { name, bytes, sha256, visibility, type, number });
    reply.code(isNew ? 201 : 200);
    return documentView(document);
  }

  @Get()
  @Access('member')
  @ApiOperation({ operationId: 'listDocuments', summary: 'Stored documents that the caller may read, newest first' })
  @ApiOkResponse({ type: StoredDocumentPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: StoredDocumentsQuery): Promise<StoredDocumentPageView> {
    const { sha256 = null, type = null, number = null, page, limit } = query;
    const filter = { sha256, type, number };
    return pageView(await this.work.read(actor, (tx) => this.documents.list(tx, readerOf(actor), filter, { page, limit })), documentView);
  }

  @Get(':id')
  @Access('member')
  @ApiOperation({ operationId: 'getDocument', summary: 'What is known of a stored document' })
  @ApiOkResponse({ type: StoredDocumentView })
  @ApiProblems(documentNotFound)
  async byId(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<StoredDocumentView> {
    return documentView(await this.readDocument.read(actor, id));
  }

  @Get(':id/content')
  @Access('member')
  @ApiOperation({ operationId: 'downloadDocument', summary: 'The file, as it was uploaded' })
  @ApiOkResponse({ content: FILE_CONTENT, description: 'Its bytes' })
  @ApiProblems(documentNotFound, CONTENT_UNAVAILABLE)
  async content(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<StreamableFile> {
    const document = await this.readDocument.read(actor, id);
    const bytes = await this.readDocument.bytes(actor, document);
    return new StreamableFile(Readable.from(bytes, { objectMode: false }), {
      type: document.mediaType,
      length: document.size,
      disposition: dispositionOf(document.name),
    });
  }

  @Delete(':id')
  @Access({ roles: ['ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'] })
  @HttpCode(204)
  @ApiOperation({
    operationId: 'deleteDocument',
    summary: 'Erase a stored document for good',
    description:
      'Its key is destroyed and its bytes are deleted, unless another organisation has stored the same file. Events keep the hash.',
  })
  @ApiNoContentResponse({ description: 'It is gone' })
  @ApiProblems(documentNotFound, roleRequired)
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    const { id: found } = await this.readDocument.read(actor, id);
    await this.deleteDocument.delete(actor, found);
  }
}

/** Always a download: a page never runs what was uploaded (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7E]|[\\"%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
