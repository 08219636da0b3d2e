import { invalidContent, isChecksumAddress } from '#kernel';

export interface NewBinding {
  /** EIP-55. */
  readonly address: string;
  readonly orgId?: string | null;
  readonly siteId?: string | null;
  readonly userId?: string | null;
  /** Name in the address book: a user's, or a partner's. */
  readonly label?: string | null;
}

/** The owner of an address in one tenant (docs/spec/domain.md#custodian-label). */
export class Wallet {
  tenantId: string;
  address: string;
  orgId: string | null;
  siteId: string | null;
  userId: string | null;
  label: string | null;
  createdAt: Date;

  /** @throws DomainError 422 with the pointer /address */
  static bind(tenantId: string, input: NewBinding, at: Date): Wallet {
    if (!isChecksumAddress(input.address))
      throw invalidContent([{ pointer: '/address', code: 'invalid_address', message: 'An address in its EIP-55 form.' }]);
    return Object.assign(new Wallet(), {
      tenantId,
      address: input.address,
      orgId: input.orgId ?? null,
      siteId: input.siteId ?? null,
      userId: input.userId ?? null,
      label: input.label ?? null,
      createdAt: at,
    });
  }

  /** Adds what a later binding of the same address says. Null when the address belongs to somebody else. */
  merge(later: Wallet): Wallet | null {
    if (clash(this.orgId, later.orgId) || clash(this.userId, later.userId) || clash(this.siteId, later.siteId)) return null;
    return Object.assign(new Wallet(), this, {
      orgId: later.orgId ?? this.orgId,
      siteId: later.siteId ?? this.siteId,
      userId: later.userId ?? this.userId,
      label: later.label ?? this.label,
    });
  }
}

const clash = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;
