import { IntegerField, StringField } from '#http';

/** What one passkey had sent by one sponsor. */
export class SponsoredKeyView {
  @StringField({ description: 'EIP-55 address of the account that acted' })
  account: string;

  @StringField({ description: 'What its wallet is called', nullable: true })
  label: string | null;

  @StringField({ description: 'Its organisation', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Name of the organisation', nullable: true })
  orgName: string | null;

  @StringField({ description: 'Id of the passkey that signed, base64url' })
  signedBy: string;

  @StringField({ description: 'EIP-55 address of the sponsor who paid' })
  paidBy: string;

  @IntegerField({ description: 'Relays' })
  batches: number;

  @IntegerField({ description: 'Calls in them' })
  calls: number;

  @IntegerField({ description: 'Relays that a block has' })
  mined: number;

  @IntegerField({ description: 'Relays that failed on chain, and cost all the same' })
  reverted: number;

  @IntegerField({ description: 'Relays that were not sent in time, or would have failed' })
  notSent: number;

  @IntegerField({ description: 'Relays on their way' })
  underway: number;

  @StringField({ description: 'Wei, decimal: what they cost, deployments included' })
  wei: string;
}

export class SponsorshipSummaryView {
  @IntegerField({ description: 'Relays' })
  batches: number;

  @IntegerField({ description: 'Calls in them' })
  calls: number;

  @StringField({ description: 'Wei, decimal' })
  wei: string;
}
