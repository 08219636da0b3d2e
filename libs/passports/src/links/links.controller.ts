import { ApiProblems, CreatedAt, Edits, HasETag, IfMatch, INVALID_CONTENT, malformedRequest, taggedBy } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, ExpectedState } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { linkNotFound, tooManyLinks } from '../errors.js';
import { ChangeLinks } from './change-links.js';
import { ChangeLinkBody, CreateLinkBody, LinkPageView, LinkQuery, TenantLinkView, linkView } from './links.dto.js';
import { LinksQueries } from './links.queries.js';
import { type TenantLink, anchorOf, wordsOf } from './tenant-link.js';

/** The tag covers what a change can change. */
const tagged = (link: TenantLink): TenantLinkView => taggedBy(linkView(link), wordsOf(link));

@ApiTags('Links')
@Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
@Controller('api/v1/links')
export class LinksController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly links: LinksQueries,
    private readonly changeLinks: ChangeLinks,
  ) {}

  @Get()
  @Access('member')
  @ApiOperation({ summary: "Links of the tenant's own, to which its Digital Links lead where they do not lead to passports" })
  @ApiOkResponse({ type: LinkPageView })
  async list(@CurrentActor() actor: Actor, @Query() { anchor: given, page, limit }: LinkQuery): Promise<LinkPageView> {
    const anchor = given === undefined ? null : anchorOf(given);
    if (anchor !== null && typeof anchor !== 'string') throw malformedRequest([anchor]);
    const { nextCursor: _, ...found } = await this.work.read(actor, (tx) => this.links.list(tx, { page, limit }, anchor));
    return { ...found, data: found.data.map(linkView) };
  }

  @Post()
  @ApiOperation({ summary: 'Add a link to a key of GS1: a GTIN, a lot or item of it, a place, a party, an asset' })
  @ApiCreatedResponse({ type: TenantLinkView })
  @CreatedAt(({ id }: TenantLinkView) => `/api/v1/links/${id}`)
  @ApiProblems(tooManyLinks, INVALID_CONTENT)
  async create(@CurrentActor() actor: Actor, @Body() body: CreateLinkBody): Promise<TenantLinkView> {
    const { mediaType = null, languages = [], isDefault = false, ...stated } = body;
    return linkView(await this.changeLinks.create(actor, { ...stated, mediaType, languages, isDefault }));
  }

  @Get(':linkId')
  @Access('member')
  @ApiOperation({ summary: 'One link' })
  @ApiOkResponse({ type: TenantLinkView })
  @ApiProblems(linkNotFound)
  @HasETag()
  async byId(@CurrentActor() actor: Actor, @Param('linkId') id: string): Promise<TenantLinkView> {
    return tagged(await this.work.read(actor, (tx) => this.links.byId(tx, id)));
  }

  @Patch(':linkId')
  @ApiOperation({ summary: 'Change a link; what is absent stays as it is' })
  @ApiOkResponse({ type: TenantLinkView })
  @ApiProblems(linkNotFound, INVALID_CONTENT)
  @HasETag()
  @Edits()
  async change(
    @CurrentActor() actor: Actor,
    @Param('linkId') id: string,
    @Body() body: ChangeLinkBody,
    @IfMatch() expected: ExpectedState,
  ): Promise<TenantLinkView> {
    return tagged(await this.changeLinks.change(actor, id, body, expected));
  }

  @Delete(':linkId')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a link' })
  @ApiNoContentResponse({ description: 'Deleted' })
  @ApiProblems(linkNotFound)
  @Edits()
  remove(@CurrentActor() actor: Actor, @Param('linkId') id: string, @IfMatch() expected: ExpectedState): Promise<void> {
    return this.changeLinks.remove(actor, id, expected);
  }
}
