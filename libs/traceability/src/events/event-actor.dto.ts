import { StringField } from '#http';

/** Who recorded an event. */
export class EventActorView {
  @StringField({ description: 'EIP-55 address of the signer', nullable: true })
  address: string | null;

  @StringField({ description: 'did:pkh of the address', nullable: true })
  did: string | null;

  @StringField({ description: 'Organisation of the address', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Its name', nullable: true })
  orgName: string | null;
}

/** docs/spec/api.md#relay. */
export class EventRelayView {
  @StringField({ description: 'Id of the passkey that signed, base64url' })
  signedBy: string;

  @StringField({ description: 'EIP-55 address of the sponsor who pays; null when another sent what was signed', nullable: true })
  paidBy: string | null;
}
