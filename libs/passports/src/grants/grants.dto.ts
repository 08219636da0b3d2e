import { EnumField, IntegerField, NumberedPageView, ObjectListField, StringField } from '#http';
import { ACCESS_CLASSES, type AccessClass, GRANT_KINDS, type Grant, type GrantKind } from './grant.js';

const KIND = { description: '`link` opens the passport once, `key` until it expires' };
const CLASS = {
  description:
    '`legitimate_interest`: values that the process map keeps for persons with a legitimate interest; `authority`: those, and the values for authorities',
};
const GRANTEE = { description: 'The person or organisation that gets it', example: 'Example Recycling', minLength: 1, maxLength: 200 };
const PURPOSE = { description: 'What for; the holder of the grant reads it', example: 'Dismantling', minLength: 1, maxLength: 500 };
const DAY = 86_400;

export class CreateGrantBody {
  @EnumField(GRANT_KINDS, { ...KIND, optional: true, default: 'link' }) kind?: GrantKind;
  @EnumField(ACCESS_CLASSES, CLASS) accessClass: AccessClass;
  @StringField(GRANTEE) grantee: string;
  @StringField(PURPOSE) purpose: string;

  @IntegerField({ description: 'How long it opens the passport', min: 60, max: 730 * DAY, optional: true, default: 7 * DAY })
  expiresInSeconds?: number;
}

export class AccessGrantView {
  @StringField({ description: 'Id', format: 'uuid' }) id: string;
  @StringField({ description: 'The passport' }) passportId: string;
  @EnumField(GRANT_KINDS, KIND) kind: GrantKind;
  @EnumField(ACCESS_CLASSES, CLASS) accessClass: AccessClass;
  @StringField(GRANTEE) grantee: string;
  @StringField(PURPOSE) purpose: string;
  @StringField({ description: 'Created', format: 'date-time' }) createdAt: string;
  @StringField({ description: 'By this user or API key' }) createdBy: string;
  @StringField({ description: 'From then on it opens nothing', format: 'date-time' }) expiresAt: string;
  @IntegerField({ description: 'How often it opened the passport' }) uses: number;
  @StringField({ description: 'When last', format: 'date-time', nullable: true }) usedAt: string | null;
  @StringField({ description: 'Withdrawn', format: 'date-time', nullable: true }) withdrawnAt: string | null;
}

export class CreatedGrantView extends AccessGrantView {
  @StringField({ description: 'Opens the passport as the header `X-DPP-Grant` of `GET /v1/dpps/{dppId}`; shown only here' })
  token: string;

  @StringField({ description: 'A page that opens the passport with it, for a person' })
  url: string;
}

export class AccessGrantPageView extends NumberedPageView {
  @ObjectListField(() => AccessGrantView, { description: 'Newest first' })
  data: AccessGrantView[];
}

export const grantView = ({ createdAt, expiresAt, usedAt, withdrawnAt, ...grant }: Grant): AccessGrantView => ({
  ...grant,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  usedAt: usedAt?.toISOString() ?? null,
  withdrawnAt: withdrawnAt?.toISOString() ?? null,
});
