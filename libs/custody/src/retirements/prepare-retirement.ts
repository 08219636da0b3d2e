import { ChainHead } from '#chain';
import { Parties } from '#identity';
import { type Actor, type Role, hasRole } from '#kernel';
import type { TenantTx } from '#persistence';
import { PrepareCall, type Prepared, noteWith } from '#prepare';
import { Lots } from '#traceability';
import { Span } from '#tracing';
import { Injectable } from '@nestjs/common';
import { RETIRE_REASONS, type RetirementInput, permitRetirement } from './retirement.rules.js';

/** They may prepare for any lot, if its holder has approved their wallet on chain. */
const OF_ANY_HOLDER: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

/** `POST /nfts/{tokenId}/retire/prepare`: an unsigned retirement of a lot or a part of it, without an event. */
@Injectable()
export class PrepareRetirement {
  /** Who may take lots out of the chain of custody (docs/spec/api.md#identity). */
  static readonly roles: readonly Role[] = ['OPERATOR', 'ADMIN', 'COMPLIANCE', 'TENANT_ADMIN'];

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly lots: Lots,
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
  ) {}

  /** @throws DomainError as `permitRetirement` does, 403 `foreign_sender`, 422 `tx_would_revert` */
  @Span('prepare retirement')
  prepare(actor: Actor, tokenId: bigint, input: RetirementInput): Promise<Prepared<{ readonly quantity: bigint }>> {
    const { reason, metadata, from } = input;
    return this.prepareCall.prepare(actor, {
      roles: PrepareRetirement.roles,
      from,
      examine: async (tx) => {
        const [[lot], { final }] = await Promise.all([this.lots.byTokenIds(tx, [tokenId]), this.chainHead.position(tx)]);
        return {
          quantity: permitRetirement(input, tokenId, lot ?? null, {
            finalBlock: final,
            mayRetire: await this.mayRetire(tx, actor, lot?.custodian),
          }),
        };
      },
      note: () => noteWith({ retire: Number(tokenId), reason }, metadata),
      calls: ({ quantity }, reference) => [
        { method: 'retire', args: { tokenIds: [tokenId], quantities: [quantity], reason: RETIRE_REASONS[reason], e: reference } },
      ],
    });
  }

  /** Operators and administrators of an organisation retire what it holds; for the others only the chain can tell. */
  private async mayRetire(tx: TenantTx, actor: Actor, custodian: string | undefined): Promise<boolean> {
    if (custodian === undefined || actor.wallets.includes(custodian) || hasRole(actor, ...OF_ANY_HOLDER)) return true;
    return actor.orgId !== null && (await this.parties.labels(tx, [custodian])).get(custodian)?.orgId === actor.orgId;
  }
}
