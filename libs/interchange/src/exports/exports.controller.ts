import { ApiProblems, BooleanField, type OriginRequest, StringField, tokenId, Heavy } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  exportDataMissing,
  exportDataUnfit,
  exportIncomplete,
  exporterUnknown,
  lotNotFound,
  lotVoided,
  noDeclaredUnit,
  noFootprint,
  plotsMissing,
  plotsUnfit,
  producerUnknown,
  tooLarge,
} from '../errors.js';
import { Exporters, type Exporter } from './dossier.js';
import { ExportLot } from './export-lot.js';

class ExportFormatView {
  @StringField({ description: 'Of the path' })
  name: string;

  @StringField({ description: 'Content-Type of the document' })
  mediaType: string;

  @StringField({ description: 'What it is' })
  about: string;

  @BooleanField({ description: 'Whether it contains the footprint' })
  footprint: boolean;
}

const exportFormatView = ({ name, mediaType, about, needsFootprint }: Exporter): ExportFormatView => ({
  name,
  mediaType,
  about,
  footprint: needsFootprint,
});

/** Of the exporters, without parameters such as `profile`. */
const MEDIA_TYPES = ['application/json', 'application/geo+json'];

interface Reply {
  header(name: string, value: string): unknown;
}

@ApiTags('Interchange')
@Controller('api/v1')
@Access('member')
export class ExportsController {
  constructor(
    private readonly exportLot: ExportLot,
    private readonly exporters: Exporters,
  ) {}

  @Get('exports')
  @ApiOperation({ operationId: 'listExportFormats', summary: 'The formats that a lot is exported in' })
  @ApiOkResponse({ type: [ExportFormatView] })
  formats(): readonly ExportFormatView[] {
    return this.exporters.all.map(exportFormatView);
  }

  @Get('nfts/:tokenId/exports/:format')
  @Heavy()
  @ApiOperation({
    operationId: 'exportNft',
    summary: 'Export a lot in a standard format',
    description:
      'As far as the caller may see its history. `GET /api/v1/exports` lists the formats. Where something that the format requires was never recorded, the problem names it.',
  })
  @ApiParam({ name: 'tokenId', schema: { type: 'integer', minimum: 1 } })
  @ApiParam({ name: 'format', description: '`eudr`, `pact`, `untp-dpp`, `untp-dte`', schema: { type: 'string' } })
  @ApiOkResponse({
    description: 'The document',
    content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema: { type: 'object', additionalProperties: true } }])),
  })
  @ApiProblems(
    lotNotFound,
    exporterUnknown,
    lotVoided,
    exportIncomplete,
    exportDataMissing,
    exportDataUnfit,
    tooLarge,
    plotsMissing,
    plotsUnfit,
    noFootprint,
    noDeclaredUnit,
    producerUnknown,
  )
  async export(
    @CurrentActor() actor: Actor,
    @Param('tokenId') id: string,
    @Param('format') format: string,
    @Req() request: OriginRequest,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<Buffer> {
    const base = request.publicOrigin;
    const { exporter, text } = await this.exportLot.export({ actor, tokenId: tokenId(id), format, base });
    reply.header('content-type', exporter.mediaType);
    return text;
  }
}
