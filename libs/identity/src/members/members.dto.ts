import {
  BooleanField,
  EnumField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  PageQuery,
  PageView,
  StringField,
  StringListField,
  taggedBy,
} from '#http';
import { ROLES, type Role } from '#kernel';
import { PreparedCallView, preparedCallView } from '#prepare';
import type { RoleScopes } from '../access/grants.js';
import { MAX_PASSWORD_BYTES } from '../accounts/account.js';
import { grantsOf } from './member.js';
import type { Invitation, Invited } from './invite-member.js';
import type { PreparedAdministration, PreparedReplacement } from './prepare-grants.js';
import type { MemberRecord } from './read-members.js';

const SCOPES = 'Process keys or globs by role (`{"OPERATOR": ["wool_*"]}`); a role that is absent covers every process, `[]` covers none';
const WALLET = 'EIP-55 address';

export class MemberQuery extends PageQuery {
  @StringField({ optional: true, minLength: 1, maxLength: 200, description: 'Part of the e-mail address or the name, in any case' })
  search?: string;

  @EnumField(['active', 'removed', 'all'], { description: 'Which members', optional: true, default: 'active' })
  status: 'active' | 'removed' | 'all' = 'active';
}

export class MemberBody implements Invitation {
  @StringField({ description: 'E-mail address, to which the invitation is sent', maxLength: 320 })
  email: string;

  @StringField({ description: 'Name under which your tenant knows them', optional: true, maxLength: 200 })
  name?: string;

  @StringListField({ description: 'Roles in the tenant', enum: ROLES, maxItems: ROLES.length })
  roles: Role[];

  @JsonObjectField({ description: SCOPES, optional: true })
  roleScopes?: RoleScopes;

  @StringField({ description: `${WALLET} that you propose; the member confirms it`, optional: true, nullable: true, maxLength: 42 })
  wallet?: string | null;

  @StringField({ description: 'Organisation that they act for', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;
}

export class MemberChange {
  @StringListField({ description: 'Roles in the tenant', enum: ROLES, maxItems: ROLES.length, optional: true })
  roles?: Role[];

  @JsonObjectField({ description: SCOPES, optional: true })
  roleScopes?: RoleScopes;

  @StringField({
    description: `${WALLET} that you propose, and the member confirms; null for none, at once`,
    optional: true,
    nullable: true,
    maxLength: 42,
  })
  wallet?: string | null;

  @StringField({ description: 'Organisation; null for none', optional: true, nullable: true, maxLength: 36 })
  orgId?: string | null;
}

export class SenderBody {
  @StringField({ description: `${WALLET} of yours that will sign; default: your wallet`, optional: true, maxLength: 42 })
  from?: string;
}

export class GrantsBody extends SenderBody {
  @StringListField({ description: 'User ids of members', maxItems: 100 })
  members: string[];
}

export class ReplacementBody extends SenderBody {
  @StringField({ description: `${WALLET} of the new wallet`, maxLength: 42 })
  wallet: string;
}

export class InvitationBody {
  @StringField({ description: 'Token of the one-time link', maxLength: 200 })
  token: string;

  @StringField({ description: 'The new password', maxLength: MAX_PASSWORD_BYTES, format: 'password' })
  password: string;
}

export class InvitationView {
  @StringField({
    description: 'For POST /api/v2/auth/invitations/accept; shown once, so absent in a repeated answer',
    optional: true,
  })
  token?: string;

  @StringField({ description: 'Valid until', format: 'date-time' })
  expiresAt: string;
}

export class MemberCallView extends PreparedCallView {
  @StringField({ description: 'Method of the contract' })
  method: string;
}

export class GrantsView {
  @ObjectListField(() => MemberCallView, { description: 'In the order in which to send them; empty when chain and service agree' })
  preparedTxs: MemberCallView[];
}

export class ReplacementView extends GrantsView {
  @ObjectField(() => MemberCallView, { description: 'For the new wallet, seven days after the proposal' })
  acceptance: MemberCallView;
}

export class OnChainView {
  @StringListField({ description: 'ADMIN, OPERATOR_ALL, OPERATOR, RECALLER, RETURNS' })
  roles: readonly string[];

  @StringListField({ description: 'Process keys that OPERATOR may record (bytes32 ids for processes that no map has)' })
  processes: readonly string[];

  @BooleanField({ description: 'Whether the contract allows exactly what the service does' })
  agrees: boolean;
}

export class MemberView {
  @StringField({ description: 'User id' })
  id: string;

  @StringField({ description: 'E-mail address' })
  email: string;

  @StringField({ description: 'Name' })
  name: string;

  @StringListField({ description: 'Roles', enum: ROLES })
  roles: readonly Role[];

  @JsonObjectField({ description: 'Process keys or globs by role; a role that is absent covers every process' })
  roleScopes: RoleScopes;

  @StringField({ description: WALLET, nullable: true })
  wallet: string | null;

  @StringField({ description: 'A wallet that is proposed and not yet confirmed by the member', nullable: true })
  proposedWallet: string | null;

  @StringField({ description: 'Organisation', nullable: true })
  orgId: string | null;

  @StringField({ description: 'Name of the organisation', nullable: true })
  orgName: string | null;

  @StringField({ description: 'Member since', format: 'date-time' })
  createdAt: string;

  @StringField({ description: 'Removed at', format: 'date-time', nullable: true })
  revokedAt: string | null;

  @ObjectField(() => OnChainView, {
    description: "The wallet's rights in the contract, as far as the indexer has read the chain; null without wallet or contract",
    nullable: true,
  })
  onChain: OnChainView | null;
}

export class MemberPageView extends PageView {
  @ObjectListField(() => MemberView, { description: 'Items of the page' })
  data: readonly MemberView[];
}

export const memberView = (member: MemberRecord): MemberView =>
  taggedBy(
    {
      id: member.id,
      email: member.email,
      name: member.name,
      roles: member.roles,
      roleScopes: member.roleScopes,
      wallet: member.wallet,
      proposedWallet: member.proposedWallet,
      orgId: member.orgId,
      orgName: member.orgName,
      createdAt: member.createdAt.toISOString(),
      revokedAt: member.revokedAt?.toISOString() ?? null,
      onChain: member.onChain,
    },
    grantsOf(member),
  );

export const invitationView = (invitation: Invited['invitation']): InvitationView | null =>
  invitation && { token: invitation.token, expiresAt: invitation.expiresAt.toISOString() };

const callView = (call: PreparedAdministration): MemberCallView => ({ method: call.method, ...preparedCallView(call) });

export const grantsView = (calls: readonly PreparedAdministration[]): GrantsView => ({ preparedTxs: calls.map(callView) });

export const replacementView = ({ preparedTxs, acceptance }: PreparedReplacement): ReplacementView => ({
  preparedTxs: preparedTxs.map(callView),
  acceptance: callView({ ...acceptance, method: 'acceptWallet' }),
});
