import { BooleanField, EnumField, IntegerField, ObjectField, ObjectListField, StringField, StringListField } from '#http';
import { deployAccount } from '#chain';
import { PreparedCallView, preparedCallView } from '#prepare';
import { SenderBody } from '../members/members.dto.js';
import type { AccountRecord, KeyCall } from './prepare-key.js';
import type { NamedCall, OwnerChange } from './prepare-organisation-account.js';

const KEY_ID = 'Name of the key in calls and logs of the account: 0x and 64 hex digits';

export class AccountKeyBody {
  @StringField({ description: 'A passkey of yours in this tenant', maxLength: 1_400 })
  passkeyId: string;
}

export class KeyIdBody {
  @StringField({ description: KEY_ID, maxLength: 66 })
  keyId: string;
}

export class MemberRemovalBody extends SenderBody {
  @StringField({ description: 'User id of the member', maxLength: 36 })
  userId: string;
}

export class OrganisationAccountBody {
  @StringListField({ description: 'User ids of members of the organisation, each with a passkey', maxItems: 20 })
  owners: string[];
}

export class OwnerChangeBody {
  @StringField({ description: 'User id of a member of the organisation', maxLength: 36 })
  userId: string;

  @EnumField(['add', 'propose_removal', 'veto_removal', 'remove'], {
    description: 'Another owner is removed seven days after the proposal, if no owner has vetoed it; one removes oneself at once',
  })
  change: OwnerChange;
}

export class AccountKeyView {
  @StringField({ description: KEY_ID })
  keyId: string;

  @StringField({ description: 'The passkey; null when it is deleted', nullable: true })
  passkeyId: string | null;

  @StringField({ description: 'Its name', nullable: true })
  name: string | null;

  @StringField({ description: 'Whose it is', nullable: true })
  userId: string | null;

  @BooleanField({ description: 'Whether it signs for the account now' })
  signs: boolean;

  @StringField({ description: 'When another owner may remove it; null when nobody has proposed it', format: 'date-time', nullable: true })
  removableAt: string | null;
}

export class AccountDeploymentView {
  @StringField({ description: 'The factory, EIP-55' })
  to: string;

  @StringField({ description: 'Calldata; anybody may send it, and a second time changes nothing' })
  data: string;
}

export class ReplacementAccountView {
  @StringField({ description: 'EIP-55 address' })
  address: string;

  @ObjectField(() => AccountDeploymentView, { description: 'What deploys it' })
  deployment: AccountDeploymentView;
}

export class PasskeyAccountView {
  @StringField({ description: 'EIP-55 address; known before the account is deployed' })
  address: string;

  @BooleanField({ description: 'Whether it has code on the chain' })
  deployed: boolean;

  @BooleanField({ description: 'Whether an owner is removed by another one after seven days only' })
  guarded: boolean;

  @IntegerField({ description: 'How many keys sign; more than are listed when the passkey of one was deleted' })
  keyCount: number;

  @ObjectListField(() => AccountKeyView, { description: 'Keys that sign, or may be made to sign' })
  keys: AccountKeyView[];

  @ObjectField(() => AccountDeploymentView, { description: 'What deploys the account' })
  deployment: AccountDeploymentView;

  @ObjectField(() => ReplacementAccountView, { description: 'The account that a recovery moves the wallet to', nullable: true })
  replacement: ReplacementAccountView | null;
}

export class AccountCallView {
  @StringField({ description: 'The account itself, EIP-55' })
  to: string;

  @StringField({ description: 'Calldata' })
  data: string;

  @StringField({ description: 'For POST /api/v1/tx/relay', nullable: true, format: 'uuid' })
  preparedId: string | null;
}

export class AccountCallsView {
  @ObjectListField(() => AccountCallView, { description: 'One batch of the account, which one of its passkeys signs' })
  calls: AccountCallView[];
}

export class SignedByView extends PreparedCallView {
  @StringField({ description: 'Method of the contract' })
  method: string;

  @StringField({
    description: 'Who signs it: the account of the organisation, or an administrator; null for an unknown one',
    nullable: true,
  })
  signer: string | null;
}

export class ApprovalsView {
  @ObjectListField(() => SignedByView, { description: 'Empty when the contract agrees. The calls of one signer are one batch' })
  preparedTxs: SignedByView[];
}

export const accountView = ({ account, keys, state, replacement }: AccountRecord): PasskeyAccountView => ({
  address: account.address,
  deployed: state.deployed,
  guarded: account.config.guarded,
  keyCount: state.keyCount,
  keys: keys.map(({ keyId, passkey }) => ({
    keyId,
    passkeyId: passkey?.id ?? null,
    name: passkey?.name ?? null,
    userId: passkey?.userId ?? null,
    signs: state.keys.get(keyId)!.signs,
    removableAt: state.keys.get(keyId)!.removableAt?.toISOString() ?? null,
  })),
  deployment: deploymentView(account),
  replacement: replacement && { address: replacement.address, deployment: deploymentView(replacement) },
});

const deploymentView = ({ factory, config }: AccountRecord['account']): AccountDeploymentView => ({
  to: factory,
  data: deployAccount(config),
});

export const callsView = (calls: readonly KeyCall[]): AccountCallsView => ({
  calls: calls.map(({ to, data, preparedId }) => ({ to, data, preparedId })),
});

export const approvalsView = (calls: readonly NamedCall[]): ApprovalsView => ({
  preparedTxs: calls.map(({ method, signer, ...call }) => ({ method, signer, ...preparedCallView(call) })),
});
