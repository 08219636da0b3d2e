import { invalidContent, isChecksumAddress } from '#kernel';

export interface NewBinding {
  /** EIP-55. */
  readonly address: string;
  readonly orgId?: string | null;
  readonly siteId?: string | null;
  readonly userId?: string | null;
  /** Name in the address book: a user's, or a partner's. */
  readonly label?: string | null;
  /** The owner of the address signed for the user, just now. */
  readonly proven?: boolean;
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
  /** When the owner of the address signed for the user. Null for what somebody typed, or what followed from a log of the chain. */
  provenAt: Date | null;

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
      provenAt: input.proven ? at : null,
    });
  }

  /**
   * Adds what a later binding of the same address says. Null when the address belongs to somebody else. Who proved the address takes the
   * place of everything that was only typed about it.
   */
  merge(later: Wallet): Wallet | null {
    if (later.provenAt && !this.provenAt) return this.provenBy(later);
    if (clash(this.orgId, later.orgId) || clash(this.userId, later.userId) || clash(this.siteId, later.siteId)) return null;
    return Object.assign(new Wallet(), this, {
      orgId: later.orgId ?? this.orgId,
      siteId: later.siteId ?? this.siteId,
      userId: later.userId ?? this.userId,
      label: later.label ?? this.label,
    });
  }

  private provenBy(later: Wallet): Wallet {
    const sameOwner = this.orgId === later.orgId && !clash(this.userId, later.userId);
    const { createdAt } = this;
    return Object.assign(new Wallet(), later, { createdAt, ...(sameOwner && { siteId: later.siteId ?? this.siteId }) });
  }
}

const clash = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;
