import { randomBytes } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { Deployments, accountAddress } from '#chain';
import { DomainError } from '#kernel';
import type { SystemTx } from '#persistence';
import type { Revoke } from '../access/revocations.queries.js';
import { AuditLog } from '../contract.js';
import { AddMember } from '../members/change-member.js';
import { Member } from '../members/member.js';
import { MembersQueries } from '../members/members.queries.js';
import type { Passkey } from './passkey.js';
import { PasskeyAccountsQueries } from './passkey-accounts.queries.js';
import { rpIdHashOf } from './relay-accounts.queries.js';

/**
 * The first passkey of a member without a wallet makes one: the account on chain for which it signs. The registration has shown who has the
 * key. The account is deployed with the first call that is relayed for it. A passkey that is older than the factory makes it when it signs in.
 */
@Injectable()
export class OpenAccount {
  constructor(
    private readonly members: MembersQueries,
    private readonly addMember: AddMember,
    private readonly accounts: PasskeyAccountsQueries,
    private readonly audit: AuditLog,
    /** Absent where no chain is configured: then passkeys only sign in. */
    @Optional() private readonly deployments?: Deployments,
  ) {}

  /** What makes the account. Read before the transaction of `openIn`; null when the chain has none. */
  async factory(): Promise<string | null> {
    return (await this.deployments?.accountFactory()) ?? null;
  }

  /** @param passkey that is stored already @returns the address, EIP-55; null for who has a wallet already, or is to have another one */
  async openIn(tx: SystemTx, revoke: Revoke, passkey: StoredPasskey, factory: string | null): Promise<string | null> {
    const { tenantId, userId } = passkey;
    if (factory === null || !(await this.members.isActive(tx, tenantId, userId))) return null;
    await this.members.lockTenantMembers(tx, tenantId);
    const member = await this.members.active(tx, tenantId, userId);
    if (member.wallet !== null || member.proposedWallet !== null) return null;
    // More than one when they are older than the factory.
    const passkeys = await this.accounts.passkeysOf(tx, { tenantId, userId });
    const keys = passkeys.map(({ key: { x, y, rpId } }) => ({ x, y, rpIdHash: rpIdHashOf(rpId) }));
    // Nobody can tell the address before it is shown, and so make it a party of the contract that cannot take over another wallet.
    const config = { salt: `0x${randomBytes(32).toString('hex')}`, guarded: false, keys };
    const address = accountAddress(factory, config);
    if (!(await this.bind(tx, revoke, member, address))) return null;
    await this.accounts.insert(tx, { tenantId, address, userId, orgId: null, factory, config });
    const details = { before: null, wallet: address, passkey: passkey.id };
    await this.audit.record(tx, tenantId, { kind: 'user', id: userId }, { action: 'member.wallet_confirmed', subject: userId, details });
    return address;
  }

  /** @returns false where the tier has no room for a wallet: the passkey signs in all the same */
  private async bind(tx: SystemTx, revoke: Revoke, member: Member, address: string): Promise<boolean> {
    const grants = Object.assign(new Member(), member, { wallet: address });
    try {
      await this.addMember.addIn(tx, revoke, Object.assign(member, { proven: true }), grants);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'quota_exceeded') return false;
      throw error;
    }
  }
}

type StoredPasskey = Pick<Passkey, 'id' | 'tenantId' | 'userId'>;
