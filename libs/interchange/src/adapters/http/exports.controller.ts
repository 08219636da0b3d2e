import { ApiProblems, BooleanField, StringField, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Get, Param, Req, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ExportLot } from '../../application/export-lot.js';
import {
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
} from '../../domain/errors.js';
import { Exporters } from '../../ports.js';

/** Of the exporters, without parameters such as `profile`. */
const MEDIA_TYPES = ['application/json', 'application/geo+json'];

class ExportFormatView {
  @StringField({ description: 'Of the path' })
  name: string;

  @StringField({ description: 'Content-Type of the document' })
  mediaType: string;

  @StringField({ description: 'What it is' })
  about: string;

  @BooleanField({ description: 'Whether it tells the footprint' })
  footprint: boolean;
}

@ApiTags('interchange')
@Controller('api/v1')
@Access('member')
export class ExportsController {
  constructor(
    private readonly exportLot: ExportLot,
    private readonly exporters: Exporters,
  ) {}

  @Get('exports')
  @ApiOperation({ summary: 'The formats that a lot is exported in' })
  @ApiOkResponse({ type: [ExportFormatView] })
  formats(): readonly ExportFormatView[] {
    return this.exporters.all.map(({ name, mediaType, about, needsFootprint }) => ({ name, mediaType, about, footprint: needsFootprint }));
  }

  @Get('nfts/:tokenId/exports/:format')
  @ApiOperation({
    summary: 'A lot in a format of the field',
    description:
      'As far as the caller may see its history. `GET /api/v1/exports` lists the formats. What a document must have and nobody recorded is refused by name.',
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
    @Req() request: { readonly protocol: string; readonly host: string },
  ): Promise<StreamableFile> {
    const base = `${request.protocol}://${request.host}`;
    const { exporter, text } = await this.exportLot.export({ actor, tokenId: tokenId(id), format, base });
    return new StreamableFile(Buffer.from(text), { type: exporter.mediaType });
  }
}
