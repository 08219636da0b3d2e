import { type OriginRequest, negotiate } from '#http';
import { Access } from '#identity';
import { PAGE_POLICY, ownDocumentUri } from '#kernel';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { documentTypesPage, vocabularyPage } from './vocabulary.page.js';
import { documentTypesIn, vocabularyOf } from './vocabulary.js';

interface NamesRequest extends OriginRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface NamesReply {
  code(status: number): NamesReply;
  header(name: string, value: string): NamesReply;
}

const HTML = 'text/html';
const JSON_LD = 'application/ld+json';
const DESCRIBED = {
  [HTML]: { schema: { type: 'string' } },
  [JSON_LD]: { schema: { type: 'object', additionalProperties: true } },
};

const wants = ({ headers }: NamesRequest, offered: readonly string[]): string | null =>
  negotiate(headers['accept'] === undefined ? undefined : String(headers['accept']), offered);

/** What the IRIs of exports lead to, apart from lots, which have passports (docs/spec/domain.md#names-in-exports). */
@ApiTags('Names')
@Controller()
@Access('public')
export class NamesController {
  @Get('ns/trc')
  @ApiOperation({ operationId: 'readVocabulary', summary: 'The terms of exports beyond EPCIS, as a page or JSON-LD, by `Accept`' })
  @ApiResponse({ status: 200, description: 'The vocabulary', content: DESCRIBED })
  vocabulary(@Req() request: NamesRequest, @Res({ passthrough: true }) reply: NamesReply): string {
    return described(request, reply, vocabularyPage, vocabularyOf);
  }

  @Get('ns/btt')
  @ApiOperation({ operationId: 'readDocumentTypes', summary: 'What the document types of exports are, as a page or JSON-LD, by `Accept`' })
  @ApiResponse({ status: 200, description: 'The scheme of document types', content: DESCRIBED })
  documentTypes(@Req() request: NamesRequest, @Res({ passthrough: true }) reply: NamesReply): string {
    return described(request, reply, documentTypesPage, documentTypesIn);
  }

  @Get('id/:tenant/doc/:type/:number')
  @ApiOperation({
    operationId: 'openDocumentByName',
    summary: 'A document, by its name in exports',
    description:
      'Leads to the documents report, or for a browser to its page in the portal; both ask for a credential. It does not tell whether there is such a document.',
  })
  @ApiParam({ name: 'tenant', description: 'Slug of the tenant' })
  @ApiParam({ name: 'type', description: 'Type of the document, percent-encoded once' })
  @ApiParam({ name: 'number', description: 'Its number, percent-encoded once' })
  @ApiResponse({ status: 303, description: 'Where its data are' })
  document(
    @Param('tenant') tenant: string,
    @Param('type') type: string,
    @Param('number') number: string,
    @Req() request: NamesRequest,
    @Res({ passthrough: true }) reply: NamesReply,
  ): void {
    const report = wants(request, ['application/json', HTML]) === HTML ? '/portal/reports/documents' : '/api/v1/reports/documents';
    const name = ownDocumentUri({ base: request.publicOrigin, tenant }, type, number);
    reply
      .code(303)
      .header('vary', 'accept')
      .header('location', `${report}?${new URLSearchParams({ document: name }).toString()}`);
  }
}

function described(request: NamesRequest, reply: NamesReply, page: (base: string) => string, data: (base: string) => object): string {
  const isPage = wants(request, [JSON_LD, HTML]) === HTML;
  reply
    .header('content-type', isPage ? `${HTML}; charset=utf-8` : JSON_LD)
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'public, max-age=3600')
    .header('vary', 'accept, x-forwarded-host, x-forwarded-proto')
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin');
  return isPage ? page(request.publicOrigin) : `${JSON.stringify(data(request.publicOrigin))}\n`;
}
