import { IntegerField, NumberedPageView, ObjectField, ObjectListField, StringField, StringListField } from '#http';
import { type PassportVersion, erasedIn } from './passport-version.js';

class VersionChangeView {
  @StringField({ description: 'The latest event of the history of the lot then', format: 'uuid' })
  eventId: string;

  @IntegerField({ description: 'Chain on which it landed', nullable: true })
  chainId: number | null;

  @StringField({ description: 'Contract that recorded it', nullable: true })
  contract: string | null;

  @StringField({ description: 'Transaction that recorded it', nullable: true })
  txHash: string | null;

  @IntegerField({ description: 'Its block', nullable: true })
  block: number | null;
}

class PassportVersionView {
  @IntegerField({ description: 'From 1' })
  version: number;

  @StringField({ description: 'Since when the public reads it: `lastUpdated` of its document', format: 'date-time' })
  from: string;

  @IntegerField({ description: 'Bytes of the document in full representation' })
  bytes: number;

  @StringField({ description: 'sha2-256 of the document in full representation, as it was archived' })
  hash: string;

  @ObjectField(() => VersionChangeView, { description: 'Where the chain has it; null where nothing is on chain', nullable: true })
  change: VersionChangeView | null;

  @StringField({
    description: 'Address that signed the event that is new in this version; null where the change has another cause',
    nullable: true,
  })
  actor: string | null;

  @StringField({ description: 'Organisation that recorded that event', nullable: true })
  orgId: string | null;

  @StringListField({ description: 'Pointers to values that were erased of the document since; its hash is that of before' })
  erased: string[];
}

export class PassportVersionPageView extends NumberedPageView {
  @ObjectListField(() => PassportVersionView, { description: 'Newest first' })
  data: PassportVersionView[];
}

export const versionView = ({ document, from, change, ...version }: PassportVersion): PassportVersionView => ({
  version: version.version,
  from: from.toISOString(),
  bytes: Buffer.byteLength(document),
  hash: version.hash,
  change: change && { ...change },
  actor: version.actor,
  orgId: version.orgId,
  erased: erasedIn(JSON.parse(document)),
});
