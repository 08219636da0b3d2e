import { BooleanField, EnumField, IntegerField, ObjectListField, PageQuery, PageView, StringField, StringListField } from '#http';
import { NOTICE_TOPICS, type Notice, type NoticeChoice } from './notice.js';

export class NoticesQuery extends PageQuery {
  @BooleanField({ description: 'Only those that are not read', optional: true, default: false })
  unread: boolean = false;
}

export class NoticeView {
  @StringField({ description: 'The notice', format: 'uuid' })
  id: string;

  @EnumField(NOTICE_TOPICS, { description: 'What it is about' })
  topic: string;

  @StringField({ description: 'In plain words' })
  title: string;

  @StringField({ description: 'Path of a page of the portal, below `/portal`', nullable: true })
  link: string | null;

  @StringField({ description: 'When', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'When it was read', format: 'date-time', nullable: true })
  readAt: string | null;
}

export class NoticePageView extends PageView {
  @ObjectListField(() => NoticeView, { description: 'Newest first' })
  data: readonly NoticeView[];

  @IntegerField({ description: 'Notices that are not read, of all pages' })
  unread: number;
}

export class ReadNoticesBody {
  @StringListField({ description: 'Ids of notices; without them, all', optional: true, maxItems: 1000 })
  ids?: string[];
}

export class UnreadNoticesView {
  @IntegerField({ description: 'Notices that are not read' })
  unread: number;
}

export class NoticeChoiceBody {
  @BooleanField({ description: 'Whether they are shown in the portal' })
  inPortal: boolean;

  @BooleanField({ description: 'Whether they come by mail' })
  byMail: boolean;
}

export class NoticeChoiceView extends NoticeChoiceBody {
  @EnumField(NOTICE_TOPICS, { description: 'What the notices are about' })
  topic: string;
}

export class NoticeChoicesView {
  @ObjectListField(() => NoticeChoiceView, { description: 'One for each topic' })
  data: readonly NoticeChoiceView[];
}

export const noticeView = ({ createdAt, readAt, id, topic, title, link }: Notice): NoticeView => ({
  ...{ id, topic, title, link },
  createdAt: createdAt.toISOString(),
  readAt: readAt?.toISOString() ?? null,
});

export const choicesView = (choices: readonly NoticeChoice[]): NoticeChoicesView => ({
  data: choices.map(({ topic, inPortal, byMail }) => ({ topic, inPortal, byMail })),
});
