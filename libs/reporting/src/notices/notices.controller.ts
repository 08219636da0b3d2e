import { ApiProblems, HeavyForPublic, ReadsBody, pageView } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, PAGE_POLICY, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import { noticeTopicUnknown } from '../errors.js';
import { ChangeNotices } from './change-notices.js';
import { NOTICE_TOPICS } from './notice.js';
import {
  NoticeChoiceBody,
  NoticeChoicesView,
  NoticePageView,
  NoticesQuery,
  ReadNoticesBody,
  UnreadNoticesView,
  choicesView,
  noticeView,
} from './notices.dto.js';
import { NoticeQueries } from './notices.queries.js';
import { askPage, endedPage, unknownLinkPage } from './unsubscribe.page.js';

/** Of the person who asks: an API key has none. */
@ApiTags('Notices')
@Controller('api/v1/notices')
@Access('member')
export class NoticesController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly notices: NoticeQueries,
    private readonly changeNotices: ChangeNotices,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listNotices', summary: 'Your notices, newest first, and how many are not read' })
  @ApiOkResponse({ type: NoticePageView })
  list(@CurrentActor() actor: Actor, @Query() { unread, page, limit }: NoticesQuery): Promise<NoticePageView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => ({
      ...pageView(await this.notices.list(tx, actor.id, unread, { page, limit }), noticeView),
      unread: await this.notices.countUnread(tx, actor.id),
    }));
  }

  @Post('read')
  @HttpCode(200)
  @ApiOperation({ operationId: 'readNotices', summary: 'Mark notices as read' })
  @ApiOkResponse({ type: UnreadNoticesView })
  async read(@CurrentActor() actor: Actor, @Body() { ids }: ReadNoticesBody): Promise<UnreadNoticesView> {
    return { unread: await this.changeNotices.markRead(actor, ids ? ids.filter(isUuid) : null) };
  }

  @Get('choices')
  @ApiOperation({ operationId: 'listNoticeChoices', summary: 'Where you want the notices of each topic' })
  @ApiOkResponse({ type: NoticeChoicesView })
  async choices(@CurrentActor() actor: Actor): Promise<NoticeChoicesView> {
    return choicesView(await this.changeNotices.choices(actor));
  }

  @Put('choices/:topic')
  @HttpCode(204)
  @ApiOperation({ operationId: 'chooseNotices', summary: 'Say whether and where you want the notices of a topic' })
  @ApiNoContentResponse()
  @ApiProblems(noticeTopicUnknown)
  async choose(@CurrentActor() actor: Actor, @Param('topic') name: string, @Body() { inPortal, byMail }: NoticeChoiceBody): Promise<void> {
    const topic = NOTICE_TOPICS.find((one) => one === name);
    if (!topic) throw noticeTopicUnknown(name, NOTICE_TOPICS);
    await this.changeNotices.choose(actor, { topic, inPortal, byMail });
  }
}

interface PageReply {
  header(name: string, value: string): PageReply;
  status(code: number): PageReply;
}

const HTML_PAGE = { schema: { type: 'string' } } as const;

/** Links in mails, which work without signing in. */
@ApiTags('Notices')
@Controller('notices/off')
@Access('public')
@HeavyForPublic()
export class UnsubscribeController {
  constructor(private readonly changeNotices: ChangeNotices) {}

  @Get()
  @ApiOperation({ operationId: 'askToUnsubscribe', summary: 'The page behind the link of a mail, with a button that ends such mails' })
  @ApiQuery({ name: 'token', required: false, description: 'Of the link' })
  @ApiOkResponse({ content: { 'text/html': HTML_PAGE } })
  @ApiNotFoundResponse({ description: 'The link is cut, or of another service', content: { 'text/html': HTML_PAGE } })
  ask(@Query('token') token: unknown, @Res({ passthrough: true }) reply: PageReply): string {
    const request = this.changeNotices.read(String(token));
    return answer(reply, request ? askPage(request.topic, String(token)) : null);
  }

  @Post()
  @HttpCode(200)
  @ReadsBody({ bodyLimit: 1024, form: true })
  @ApiConsumes('application/x-www-form-urlencoded', 'multipart/form-data')
  @ApiBody({ required: false, description: 'Nothing of it is read', schema: { type: 'object', additionalProperties: true } })
  @ApiOperation({ operationId: 'unsubscribe', summary: 'End such mails by the link of one, at one click (RFC 8058)' })
  @ApiQuery({ name: 'token', required: false, description: 'Of the link' })
  @ApiOkResponse({ content: { 'text/html': HTML_PAGE } })
  @ApiNotFoundResponse({ description: 'The link is cut, or of another service', content: { 'text/html': HTML_PAGE } })
  async end(@Query('token') token: unknown, @Res({ passthrough: true }) reply: PageReply): Promise<string> {
    const request = this.changeNotices.read(String(token));
    if (request) await this.changeNotices.unsubscribe(request);
    return answer(reply, request && endedPage(request.topic));
  }
}

/** @param page null for a link that this service has not made */
function answer(reply: PageReply, page: string | null): string {
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY.replace("form-action 'none'", "form-action 'self'"))
    .header('cache-control', 'private, no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex');
  if (page === null) reply.status(404);
  return page ?? unknownLinkPage();
}
