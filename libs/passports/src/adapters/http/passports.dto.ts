import { BooleanField, IntegerField, NumberedPageView, ObjectListField, StringField } from '#http';

/** It stands in headers, codes and links of every passport: ASCII, and nothing that ends any of them. */
const ORIGIN = /^https?:\/\/([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/;

export class PassportSettingsBody {
  @BooleanField({ description: 'Lots of asset types with `passport: true` have public passports', optional: true })
  enabled?: boolean;

  @BooleanField({ description: 'Passports show chain, transaction and data hash, and give out their evidence', optional: true })
  showIntegrity?: boolean;

  @StringField({
    description: '`https://host` that labels and links lead to, in ASCII (`xn--…`); null: the address that is asked',
    optional: true,
    nullable: true,
    pattern: ORIGIN,
  })
  resolver?: string | null;
}

export class PassportSettingsView {
  @BooleanField({ description: 'Lots of asset types with `passport: true` have public passports' })
  enabled: boolean;

  @BooleanField({ description: 'Passports show chain, transaction and data hash, and give out their evidence' })
  showIntegrity: boolean;

  @StringField({ description: '`https://host` that labels and links lead to; null: the address that is asked', nullable: true })
  resolver: string | null;
}

export class WithdrawBody {
  @StringField({ description: 'Why; for the audit log, never public', minLength: 1, maxLength: 500 })
  reason: string;
}

export class PassportView {
  @StringField({ description: '128 random bits, hexadecimal' })
  id: string;

  @IntegerField({ description: 'The lot' })
  tokenId: number;

  @StringField({ description: 'Its code' })
  tlc: string;

  @StringField({ description: 'Of its GS1 Digital Link; null without one', nullable: true })
  gtin: string | null;

  @StringField({ description: 'Where it is shown' })
  url: string;

  @StringField({
    description: 'GS1 Digital Link; null without a GTIN, or where that GTIN and lot are the passport of another tenant',
    nullable: true,
  })
  digitalLink: string | null;

  @IntegerField({ description: 'Counts what the public read' })
  version: number;

  @StringField({ description: 'When it was issued', format: 'date-time' })
  issuedAt: string;

  @StringField({ description: 'Since when the public reads this version', format: 'date-time' })
  lastUpdated: string;

  @StringField({ description: 'Null while it is shown', format: 'date-time', nullable: true })
  withdrawnAt: string | null;

  @StringField({ description: 'Why it was withdrawn', nullable: true })
  withdrawnReason: string | null;
}

export class PassportPageView extends NumberedPageView {
  @ObjectListField(() => PassportView, { description: 'Newest first' })
  data: PassportView[];
}
