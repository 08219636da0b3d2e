import { ChainProfile, type PreparedCall, TransactionPreparer } from '#chain';
import { addressOf, contentProblem, withinContentLimit } from '#content-storage';
import { Classes, sealContent, type SealedContent } from '#envelope';
import { StoreContents } from '#sealed-contents';
import {
  type Actor,
  Clock,
  type Hex,
  type Json,
  invalidContent,
  jsonTextFaults,
  newId,
  DomainError,
  requireEveryProcess,
  requireProcess,
  requireRole,
  senderOf,
} from '#kernel';
import { UnitOfWork, type SnapshotTx, type TenantTx } from '#persistence';
import { Injectable, Optional } from '@nestjs/common';
import {
  type Note,
  type StoredContent,
  type CallRoles,
  type ContractCall,
  type EventReference,
  KeepAccountCalls,
  type PreparedContractCall,
  noEvent,
  StorageQuota,
  TenantContract,
} from './contract-call.js';
import { withRelayIds } from './relay-ids.js';

interface NoteDraft {
  readonly dataHash: Hex;
  /** @throws DomainError 429 `quota_exceeded`, EngineUnavailable('content_storage') */
  store(): Promise<StoredContent>;
}

/** Sender, receiver and who reads all of the tenant's events read a note; nobody else does. */
const RESTRICTED = new Classes([]);

/** Gives notes their sealed bytes and their hash. They are stored when the chain would take the call. */
@Injectable()
export class DraftNote {
  constructor(
    private readonly contents: StoreContents,
    private readonly chain: ChainProfile,
    private readonly clock: Clock,
    private readonly work: UnitOfWork,
    private readonly quota: StorageQuota,
  ) {}

  /** @param sender EIP-55; null when there is none. @throws DomainError 422 `invalid_content` */
  draft(actor: Actor, contract: string, sender: string | null, { call, metadata }: Note): NoteDraft {
    const words = { ...call, preparedBy: sender, preparedAt: this.clock.now().toISOString(), metadata } as Readonly<Record<string, Json>>;
    const sealed = this.seal(actor, contract, words);
    // Parts of the note go into the database when its call lands, and PostgreSQL has no U+0000.
    const problems = jsonTextFaults(metadata, '/metadata');
    if (problems.length > 0) throw invalidContent(problems);
    return {
      dataHash: addressOf(sealed.bytes).dataHash,
      store: async () => {
        await this.work.inTransaction(actor, (tx) => this.quota.take(tx, { bytes: sealed.bytes.length }));
        const stored = await this.contents.putNote(actor, sealed, words);
        await this.work.inTransaction(actor, (tx) => stored.writeKeys(tx));
        const { cid, dataHash } = stored.addresses[0]!;
        return { ipfsCid: cid, dataHash };
      },
    };
  }

  /** @throws DomainError 422 `invalid_content` */
  private seal(actor: Actor, contract: string, words: Readonly<Record<string, Json>>): SealedContent {
    const subject = { chainId: this.chain.chainId, contract, tenant: actor.tenantId, kind: 'note', id: newId() } as const;
    try {
      const sealed = sealContent(words, RESTRICTED, subject);
      withinContentLimit(sealed.bytes);
      return sealed;
    } catch (error) {
      throw contentProblem(error);
    }
  }
}

/** A call with its contract and its sender. */
export interface CallDraft {
  readonly contract: string;
  /** EIP-55; null when nobody is known, then nothing is estimated. */
  readonly sender: string | null;
  readonly call: EncodableCall;
}

/** Arguments by name or by place, in the order of the ABI. */
interface EncodableCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>> | readonly unknown[];
}

/** Encodes calls and asks the chain whether and at what cost they would run. */
@Injectable()
export class EstimateCalls {
  constructor(
    private readonly chain: TransactionPreparer,
    @Optional() private readonly accountCalls?: KeepAccountCalls,
  ) {}

  /** In one exchange: one answer a call, in their order; the refusal of one is its answer. */
  async estimateAll(drafts: readonly CallDraft[]): Promise<readonly (PreparedCall | DomainError)[]> {
    const answers = await this.chain.prepareAll(
      drafts.map(({ contract, sender, call }) => ({
        contract,
        from: sender,
        method: call.method,
        args: Object.values<unknown>(call.args),
      })),
    );
    return this.accountCalls ? withRelayIds(drafts, answers, this.accountCalls) : answers;
  }

  /**
   * Calls that one sender signs one after the other, with consecutive nonces.
   * @throws DomainError the first refusal: 422 `tx_would_revert`
   */
  async estimateEach<Call extends EncodableCall>(
    contract: string,
    sender: string | null,
    calls: readonly Call[],
  ): Promise<readonly (Call & PreparedCall)[]> {
    const answers = await this.estimateAll(calls.map((call) => ({ contract, sender, call })));
    return answers.map((answer, i) => {
      if (answer instanceof DomainError) throw answer;
      return { ...calls[i]!, ...answer };
    });
  }
}

/** What one kind of call states about itself. All else is `PrepareCall`. */
export interface CallPlan<Found> {
  readonly roles: CallRoles;
  /** EIP-55, as the request names its sender. */
  readonly from?: string | null | undefined;
  /** The process that the request names; the caller's scope must cover it. */
  readonly processType?: string | null | undefined;
  /** For a call about the whole tenant: one of the roles must cover every process. */
  readonly everyProcess?: boolean | undefined;
  /** Reads what the call is about and refuses what cannot be; all reads see the same moment. */
  examine(tx: SnapshotTx, sender: string | null): Promise<Found>;
  /** The contract that is called; the tenant's newest when absent. */
  contractOf?(found: Found): string;
  /** What to store by content; null when there is nothing (`noteWith`). */
  note?(found: Found): Note | null;
  /**
   * An event that the call records, instead of a note: prepares it and hands its reference to `call`.
   * Nothing of it is stored when `call` throws.
   */
  event?: Attach<Found> | null | undefined;
  /** The calls of the contract, at least one, in the order to sign. */
  calls(found: Found, reference: EventReference): readonly ContractCall[];
  /** A refusal in the words of the request. */
  explain?(error: DomainError, found: Found): DomainError;
  /** Rows to write with the content, when the chain would accept the calls. */
  record?(tx: TenantTx, found: Found, content: StoredContent | null): Promise<void>;
}

/** An event with the transaction that records it. */
export interface PreparedEvent extends PreparedCall, StoredContent {
  readonly eventId: string;
  /** Code of its main output. */
  readonly outputTlc: string | null;
}

/** An error declaration with the transaction that makes it true. */
export type PreparedDeclaration = Omit<PreparedEvent, 'outputTlc'>;

export type Attach<Found> = (
  found: Found,
  sender: string | null,
  call: (reference: EventReference) => Promise<PreparedCall & ContractCall>,
) => Promise<PreparedEvent>;

export interface Prepared<Found> {
  readonly found: Found;
  /** At least one, in the order to sign. */
  readonly calls: readonly PreparedContractCall[];
  readonly content: StoredContent | null;
  /** The event that the call records. */
  readonly event: PreparedEvent | null;
}

export interface EstimatedDraft<Draft extends CallDraft> {
  readonly draft: Draft;
  readonly prepared: PreparedCall;
}

interface Target<Found> {
  readonly actor: Actor;
  readonly plan: CallPlan<Found>;
  readonly found: Found;
  readonly contract: string;
  readonly sender: string | null;
}

/**
 * How every call of a tenant's contract is prepared: roles, sender, process scope, one snapshot to examine, the content's hash, the
 * chain's estimate, and only then the content store and the rows. A refusal leaves nothing behind.
 */
@Injectable()
export class PrepareCall {
  constructor(
    private readonly work: UnitOfWork,
    private readonly contracts: TenantContract,
    private readonly notes: DraftNote,
    private readonly estimates: EstimateCalls,
  ) {}

  /**
   * @throws DomainError 403 `role_required`, `beyond_own_grants`, `foreign_sender`, `process_out_of_scope`, 409 `tenant_has_no_contract`, what `examine`
   * throws, 422 `invalid_content`, `tx_would_revert`, 429 `quota_exceeded`
   */
  async prepare<Found>(actor: Actor, plan: CallPlan<Found>): Promise<Prepared<Found>> {
    if (plan.roles !== 'member') {
      requireRole(actor, plan.roles);
      if (plan.everyProcess) requireEveryProcess(actor, plan.roles);
    }
    const sender = senderOf(actor, plan.from);
    if (plan.processType) requireProcess(actor, plan.processType, plan.roles === 'member' ? undefined : plan.roles);
    const found = await this.work.inSnapshot(actor, (tx) => plan.examine(tx, sender));
    const contract = plan.contractOf?.(found) ?? (await this.contractOf(actor));
    const target = { actor, plan, found, contract, sender };
    try {
      return await (plan.event ? this.withEvent(target, plan.event) : this.withNote(target));
    } catch (error) {
      throw error instanceof DomainError ? (plan.explain?.(error, found) ?? error) : error;
    }
  }

  /** @throws DomainError 409 `tenant_has_no_contract` */
  contractOf({ tenantId }: { readonly tenantId: string }): Promise<string> {
    return this.contracts.contractOf(tenantId);
  }

  /**
   * Many calls in one exchange with the chain: one answer a draft, in their order; the refusal of one is its answer. Those that the chain
   * would accept are stored together.
   */
  async prepareAll<Draft extends CallDraft, Answer>(
    drafts: readonly (Draft | DomainError)[],
    store: (estimated: readonly EstimatedDraft<Draft>[]) => Promise<readonly Answer[]>,
  ): Promise<readonly (Answer | DomainError)[]> {
    const asked = drafts.flatMap((draft) => (draft instanceof DomainError ? [] : [draft]));
    const answers = await this.estimates.estimateAll(asked);
    const estimated = asked.flatMap((draft, i) => {
      const prepared = answers[i]!;
      return prepared instanceof DomainError ? [] : [{ draft, prepared }];
    });
    const stored = (await store(estimated)).values();
    const outcomes = answers.map((answer) => (answer instanceof DomainError ? answer : stored.next().value!)).values();
    return drafts.map((draft) => (draft instanceof DomainError ? draft : outcomes.next().value!));
  }

  private async withNote<Found>(target: Target<Found>): Promise<Prepared<Found>> {
    const { actor, plan, found, contract, sender } = target;
    const note = plan.note?.(found) ?? null;
    const draft = note && this.notes.draft(actor, contract, sender, note);
    const calls = plan.calls(found, noEvent(draft?.dataHash));
    const prepared = await this.estimates.estimateEach(contract, sender, calls);
    const content = draft && (await draft.store());
    if (plan.record) await this.work.inTransaction(actor, (tx) => plan.record!(tx, found, content));
    return { found, calls: prepared, content, event: null };
  }

  private async withEvent<Found>(target: Target<Found>, attach: Attach<Found>): Promise<Prepared<Found>> {
    const { plan, found, contract, sender } = target;
    let call: ContractCall;
    const event = await attach(found, sender, async (reference) => {
      call = plan.calls(found, reference)[0]!;
      return { ...(await this.estimates.estimateEach(contract, sender, [call]))[0]!, ...call };
    });
    const { preparedTx, hints, warnings, ipfsCid, dataHash } = event;
    return { found, calls: [{ ...call!, preparedTx, hints, warnings }], content: { ipfsCid, dataHash }, event };
  }
}
