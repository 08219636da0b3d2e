import { BooleanField, NumberedPageView, PageQuery, ObjectListField, StringField, StringListField } from '#http';
import { type TenantLink, wordsOf } from './tenant-link.js';

const ANCHOR = {
  description:
    'GS1 Digital Link of what the link is about, or its path; a GTIN with a lot or serial number is about that lot or item alone',
  example: '/01/09520123450014',
  minLength: 1,
  maxLength: 1_000,
};
const LINK_TYPE = {
  description: 'Link type of the GS1 Web Vocabulary',
  example: 'gs1:instructions',
  minLength: 1,
  maxLength: 100,
};
const HREF = { description: 'Target, `http` or `https`', example: 'https://example.com/rice/cooking', minLength: 1, maxLength: 2_000 };
const TITLE = { description: 'Title for people, in the language of the target', example: 'How to cook it', minLength: 1, maxLength: 200 };
const MEDIA_TYPE = {
  description: 'Media type of the target',
  example: 'text/html',
  pattern: /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,80}$/,
  nullable: true,
};
const LANGUAGES = {
  description: 'Languages of the target: ISO 639-1, with a country where it matters',
  example: ['en', 'de-AT'],
  maxItems: 20,
  each: /^[a-z]{2}(-[A-Z]{2})?$/,
};
const IS_DEFAULT = {
  description: 'Where a request that asks for nothing in particular is led; the link that was the default of this key before is no longer',
};

export class CreateLinkBody {
  @StringField(ANCHOR) anchor: string;
  @StringField(LINK_TYPE) linkType: string;
  @StringField(HREF) href: string;
  @StringField(TITLE) title: string;
  @StringField({ ...MEDIA_TYPE, optional: true }) mediaType?: string | null;
  @StringListField({ ...LANGUAGES, optional: true }) languages?: string[];
  @BooleanField({ ...IS_DEFAULT, optional: true, default: false }) isDefault?: boolean;
}

export class ChangeLinkBody {
  @StringField({ ...LINK_TYPE, optional: true }) linkType?: string;
  @StringField({ ...HREF, optional: true }) href?: string;
  @StringField({ ...TITLE, optional: true }) title?: string;
  @StringField({ ...MEDIA_TYPE, optional: true }) mediaType?: string | null;
  @StringListField({ ...LANGUAGES, optional: true }) languages?: string[];
  @BooleanField({ ...IS_DEFAULT, optional: true }) isDefault?: boolean;
}

export class LinkQuery extends PageQuery {
  @StringField({ ...ANCHOR, description: 'Only the links of this GS1 Digital Link', optional: true })
  anchor?: string;
}

export class TenantLinkView {
  @StringField({ description: 'Id', format: 'uuid' }) id: string;
  @StringField({ description: 'Path of the canonical GS1 Digital Link', example: '/01/09520123450014' }) anchor: string;
  @StringField(LINK_TYPE) linkType: string;
  @StringField(HREF) href: string;
  @StringField(TITLE) title: string;
  @StringField(MEDIA_TYPE) mediaType: string | null;
  @StringListField(LANGUAGES) languages: readonly string[];
  @BooleanField(IS_DEFAULT) isDefault: boolean;
  @StringField({ description: 'Created', format: 'date-time' }) createdAt: string;
  @StringField({ description: 'Last change', format: 'date-time' }) changedAt: string;
}

export class LinkPageView extends NumberedPageView {
  @ObjectListField(() => TenantLinkView, { description: 'Newest first' })
  data: TenantLinkView[];
}

export const linkView = (link: TenantLink): TenantLinkView => ({
  id: link.id,
  anchor: link.anchor,
  ...wordsOf(link),
  linkType: `gs1:${link.linkType}`,
  createdAt: link.createdAt.toISOString(),
  changedAt: link.changedAt.toISOString(),
});
