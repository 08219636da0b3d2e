import { IntegerField, JsonObjectField, ObjectField, ObjectListField, StringField, StringListField, BooleanField } from '#http';
import type { RelayPlaces } from './read-relay.js';
import type { Relay } from './relays.queries.js';
import type { Relayed } from './store-relay.js';

const MOST_CALLS = 100;

export class RelayAssertion {
  @IntegerField({ description: "One of the key's lanes", min: 0, max: 6 })
  lane: number;

  @IntegerField({ description: 'The next one of the lane', min: 0, max: 4_294_967_294 })
  sequence: number;

  @IntegerField({ description: 'Seconds since 1970, at most ten minutes ahead', min: 0 })
  deadline: number;

  @JsonObjectField({ description: 'The credential that `navigator.credentials.get` returned for the digest of the batch, as JSON' })
  credential: Record<string, unknown>;
}

const ACCOUNT = 'Of your organisation, or another one of yours (EIP-55); absent: the one that is your wallet';

export class RelayAccountQuery {
  @StringField({ description: ACCOUNT, maxLength: 42, optional: true })
  account?: string;
}

export class RelayBody {
  @StringField({ description: ACCOUNT, maxLength: 42, optional: true })
  account?: string;

  @StringListField({ description: '`hints.preparedId` of each call, in the order that was signed', minItems: 1, maxItems: MOST_CALLS })
  prepared: string[];

  @ObjectField(() => RelayAssertion, { description: 'What the passkey signed' })
  assertion: RelayAssertion;
}

export class RelayedView {
  @StringField({ description: 'Of the batch', format: 'uuid' })
  relayId: string;

  @StringListField({ description: 'Of each call, for GET /api/v1/tx/{trackingId}, in their order' })
  trackingIds: string[];
}

export class RelayKeyView {
  @StringField({ description: 'Id of the passkey, base64url' })
  passkeyId: string;

  @StringField({ description: 'What you call it' })
  name: string;

  @StringField({ description: 'Of its public key: 0x and 64 hex digits' })
  x: string;

  @StringField({ description: 'Of its public key: 0x and 64 hex digits' })
  y: string;

  @StringField({ description: 'SHA-256 of the domain that it was made for' })
  rpIdHash: string;

  @BooleanField({ description: 'Whether it signs for the account' })
  signs: boolean;

  @IntegerField({ description: 'A lane in which nothing is on its way, where there is one' })
  lane: number;

  @IntegerField({ description: 'Next place in it' })
  sequence: number;
}

export class RelayAccountView {
  @StringField({ description: 'EIP-55 address of your account' })
  address: string;

  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;

  @BooleanField({ description: 'Whether the account is on chain; the first relay deploys it' })
  deployed: boolean;

  @StringField({ description: 'Time of the service: deadlines are measured by it', format: 'date-time' })
  now: string;

  @ObjectListField(() => RelayKeyView, { description: 'Your passkeys, oldest first' })
  keys: readonly RelayKeyView[];
}

export class RelayStateView {
  @StringField({ description: 'Of the batch', format: 'uuid' })
  relayId: string;

  @StringField({ description: 'queued, sent, mined, reverted, expired or refused' })
  status: string;

  @StringField({ description: 'Wei: the most that it can cost, and what it cost when a block has it' })
  wei: string;

  @StringField({ description: 'Id of the passkey that signed' })
  signedBy: string;

  @StringField({ description: 'EIP-55 address of the sponsor who pays' })
  paidBy: string;

  @StringField({ description: 'Until when it can land', format: 'date-time' })
  landsUntil: string;

  @StringField({ description: 'Why it was not sent', nullable: true })
  reason: string | null;
}

export const relayedView = ({ relayId, trackingIds }: Relayed): RelayedView => ({ relayId, trackingIds: [...trackingIds] });

export const relayAccountView = ({ account, chainId, deployed, now, keys }: RelayPlaces): RelayAccountView => ({
  address: account,
  chainId,
  deployed,
  now: now.toISOString(),
  keys: keys.map(({ id, name, key, signs, lane, sequence }) => ({ passkeyId: id, name, ...key, signs, lane, sequence })),
});

export const relayStateView = ({ id, status, wei, passkeyId, paidBy, deadline, reason }: Relay): RelayStateView => ({
  relayId: id,
  status,
  wei: String(wei),
  signedBy: passkeyId,
  paidBy,
  landsUntil: deadline.toISOString(),
  reason,
});
