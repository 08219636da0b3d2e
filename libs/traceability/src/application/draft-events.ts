import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { addressOf, canonicalBytes } from '#content-storage';
import { Tenants } from '#identity';
import { type Actor, type Hex, newId } from '#kernel';
import type { EventRef, EventSubmission } from '../contract.js';
import { type Correction, type Preparation, envelopeOf, eventRef } from '../domain/canonical-event.js';
import type { Issue } from '../domain/issue.js';
import type { ExaminedEvent } from '../domain/validation.js';

/** An event that nothing stands against, with the bytes that will be stored and the reference that goes on chain. */
export interface Draft extends Preparation {
  readonly actor: Actor;
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
  readonly bytes: Uint8Array;
  readonly dataHash: Hex;
  readonly ref: EventRef;
}

interface Sound {
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
  readonly now: Date;
  readonly correction?: Correction;
}

/** Gives events their id and their canonical bytes. */
@Injectable()
export class DraftEvents {
  constructor(
    private readonly tenants: Tenants,
    private readonly chain: ChainProfile,
  ) {}

  /** @throws DomainError 409 `tenant_has_no_contract` */
  contractOf(actor: Actor): Promise<string> {
    return this.tenants.contractOf(actor.tenantId);
  }

  /** @throws DomainError 422 for metadata without a canonical form, or beyond 256 KiB */
  draft(actor: Actor, contract: string, { submission, event, issues, now, correction }: Sound): Draft {
    const preparation: Preparation = {
      eventId: newId(),
      tenant: actor.tenantSlug,
      chainId: this.chain.chainId,
      contract,
      preparedBy: submission.from,
      preparedAt: now,
      ...(correction && { correction }),
    };
    const bytes = canonicalBytes(envelopeOf(event, submission, preparation));
    const { dataHash } = addressOf(bytes);
    const ref = eventRef(preparation.eventId, event.published.processType, dataHash);
    return { ...preparation, actor, submission, event, issues, bytes, dataHash, ref };
  }
}
