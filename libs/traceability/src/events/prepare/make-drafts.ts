import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { addressOf, contentProblem, withinContentLimit } from '#content-storage';
import { sealContent, type SealedContent } from '#envelope';
import { type Actor, type Hex, newId } from '#kernel';
import type { EventReference } from '#prepare';
import type { EventSubmission } from '../../contract/preparation.js';
import { contentClasses } from '../../process-maps/content-classes.js';
import type { Issue } from '../../process-maps/event-reading.js';
import type { ExaminedEvent } from '../rules/event.rules.js';
import { contentOf, type Correction, eventRef, type Preparation } from './prepared-event.js';

/** A valid event with the bytes that will be stored and the reference that goes on chain. */
export interface Draft extends Preparation, SealedContent {
  readonly actor: Actor;
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
  readonly cid: string;
  readonly dataHash: Hex;
  readonly ref: EventReference;
}

interface DraftInput {
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
  readonly now: Date;
  readonly correction?: Correction;
}

/** Gives events their id and their sealed bytes. */
@Injectable()
export class MakeDrafts {
  constructor(private readonly chain: ChainProfile) {}

  /** @throws DomainError 422 for metadata without a canonical form, or beyond 256 KiB */
  draft(actor: Actor, contract: string, { submission, event, issues, now, correction }: DraftInput): Draft {
    const preparation: Preparation = {
      eventId: newId(),
      chainId: this.chain.chainId,
      contract,
      preparedBy: submission.from,
      preparedAt: now,
      ...(correction && { correction }),
    };
    const sealed = this.seal(actor, preparation, { submission, event });
    const { cid, dataHash } = addressOf(sealed.bytes);
    const ref = eventRef(preparation.eventId, event.published.processType, dataHash);
    return { ...preparation, ...sealed, actor, submission, event, issues, cid, dataHash, ref };
  }

  private seal(actor: Actor, preparation: Preparation, { submission, event }: Pick<DraftInput, 'submission' | 'event'>): SealedContent {
    const { chainId, contract, eventId, correction } = preparation;
    const classes = contentClasses(event.published.process, submission.metadata);
    const subject = { chainId, contract, tenant: actor.tenantId, kind: correction ? 'amendment' : 'event', id: eventId } as const;
    try {
      const sealed = sealContent(contentOf(event, submission, preparation), classes, subject);
      withinContentLimit(sealed.bytes);
      return sealed;
    } catch (error) {
      throw contentProblem(error);
    }
  }
}
