import { Injectable } from '@nestjs/common';
import { ChainProfile } from '#chain';
import { addressOf, contentProblem, withinContentLimit } from '#content-storage';
import type { SealedContent } from '#envelope';
import { type Actor, DomainError, type Hex, mapYielding, newId } from '#kernel';
import type { EventReference } from '#prepare';
import { type ContentToSeal, SealContents, type Sealing } from '#sealed-contents';
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

export interface DraftInput {
  readonly submission: EventSubmission;
  readonly event: ExaminedEvent;
  readonly issues: readonly Issue[];
  readonly now: Date;
  readonly correction?: Correction;
}

interface Unsealed extends Omit<DraftInput, 'now' | 'correction'> {
  readonly actor: Actor;
  readonly preparation: Preparation;
  readonly sealing: ContentToSeal;
}

/** Gives events their id and their sealed bytes. */
@Injectable()
export class MakeDrafts {
  constructor(
    private readonly chain: ChainProfile,
    private readonly contents: SealContents,
  ) {}

  /** @throws DomainError 422 for metadata without a canonical form, or beyond 256 KiB */
  async draft(actor: Actor, contract: string, input: DraftInput): Promise<Draft> {
    const [draft] = await this.draftAll(actor, contract, [input]);
    if (draft instanceof DomainError) throw draft;
    return draft!;
  }

  /** In their order; a refusal as `draft` throws it, and those that are there already. */
  async draftAll(actor: Actor, contract: string, inputs: readonly (DraftInput | DomainError)[]): Promise<readonly (Draft | DomainError)[]> {
    const all = inputs.map((input) => (input instanceof DomainError ? input : this.unsealed(actor, contract, input)));
    const unsealed = all.flatMap((one) => (one instanceof DomainError ? [] : [one]));
    const sealed = (await this.contents.sealAll(unsealed.map(({ sealing }) => sealing))).values();
    return mapYielding(all, (one) => (one instanceof DomainError ? one : draftOf(one, sealed.next().value!)));
  }

  private unsealed(actor: Actor, contract: string, { submission, event, issues, now, correction }: DraftInput): Unsealed {
    const preparation: Preparation = {
      eventId: submission.eventId ?? newId(),
      chainId: this.chain.chainId,
      contract,
      preparedBy: submission.from,
      preparedAt: now,
      ...(correction && { correction }),
    };
    const { chainId, eventId } = preparation;
    const sealing: ContentToSeal = {
      content: contentOf(event, submission, preparation),
      classes: event.isOpen ? null : contentClasses(event.published.process, submission.metadata),
      subject: { chainId, contract, tenant: actor.tenantId, kind: correction ? 'amendment' : 'event', id: eventId },
    };
    return { actor, submission, event, issues, preparation, sealing };
  }
}

function draftOf({ actor, submission, event, issues, preparation }: Unsealed, sealed: Sealing): Draft | DomainError {
  try {
    if (sealed instanceof Error) throw sealed;
    withinContentLimit(sealed.bytes);
    const { cid, dataHash } = addressOf(sealed.bytes);
    const ref = eventRef(preparation.eventId, event.published.processType, dataHash);
    return { ...preparation, ...sealed, actor, submission, event, issues, cid, dataHash, ref };
  } catch (error) {
    const problem = contentProblem(error);
    if (problem instanceof DomainError) return problem;
    throw problem;
  }
}
