import { type PreparedCall, TransactionPreparer, methodsOf, tenantLots } from '#chain';
import { Tenants, roleRequired, senderOf } from '#identity';
import { type Actor, DomainError, ZERO_BYTES32, hasRole, invalidContent } from '#kernel';
import { CallNotes, EventPreparation, type EventRef, type PreparedEvent, type ProcessView } from '#traceability';
import { Step } from '#tracing';
import { Injectable } from '@nestjs/common';
import { type GenericInput, callArguments, inRequest, namedArgs, requireSameProcess, storedMetadata } from '../domain/call-arguments.js';
import { unknownMethod } from '../domain/errors.js';
import { eventRequest } from '../domain/event-request.js';
import { type Method, carriesHash, findMethod, ridesOn, rolesFor } from '../domain/method.js';
import { CheckHolds } from './check-holds.js';
import { FindProcess } from './find-process.js';

export interface PreparedGeneric extends PreparedCall {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly processType: string | null;
  readonly eventId: string | null;
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
}

interface Draft {
  readonly actor: Actor;
  readonly input: GenericInput;
  readonly method: Method;
  readonly process: ProcessView | null;
  readonly contract: string;
  readonly from: string | null;
}

/** `POST /tx/prepare`: any state-changing method of the tenant's contract (api-decisions §3). */
@Injectable()
export class PrepareTransaction {
  constructor(
    private readonly processes: FindProcess,
    private readonly holds: CheckHolds,
    private readonly events: EventPreparation,
    private readonly transactions: TransactionPreparer,
    private readonly tenants: Tenants,
    private readonly notes: CallNotes,
  ) {}

  /**
   * @throws DomainError 403 outside the process scope or without the role, 422 `unknown_method`,
   * `unknown_process`, `invalid_content`, `tx_would_revert`
   */
  @Step('prepare transaction')
  async prepare(actor: Actor, input: GenericInput): Promise<PreparedGeneric> {
    const process = await this.processes.find(actor, input.processId);
    const method = methodOf(actor, input);
    const from = senderOf(actor, input.from);
    const draft = { actor, input, method, process, from, contract: await this.tenants.contractOf(actor.tenantId) };
    if (method.name === 'recordEvent') return this.event(draft);
    return process && ridesOn(method) ? this.withEvent(draft, process) : this.plain(draft);
  }

  /** The same road as events/prepare; a disposal comes back as `retire`. */
  private async event({ actor, input, process, from }: Draft): Promise<PreparedGeneric> {
    if (!process) throw invalidContent([{ pointer: '/processId', code: 'required', message: 'recordEvent needs the id of a process' }]);
    const event = await this.events.prepare(actor, { ...eventRequest(input, process), from });
    return answerOfEvent(event, process);
  }

  private async withEvent(draft: Draft, process: ProcessView): Promise<PreparedGeneric> {
    const { actor, input, from } = draft;
    const args = (reference: EventRef) => ({ ...callArguments(draft.method, input, reference.dataHash), e: reference });
    const drafted = args(NO_EVENT);
    await this.holds.check(actor, draft.method, input, drafted);
    const { tokenIds } = drafted as unknown as { readonly tokenIds: readonly (number | string)[] };
    const event = await this.events.prepareRiding(
      actor,
      {
        processType: process.processType,
        inputTokenIds: tokenIds.map(BigInt),
        outputTlc: null,
        outputCustodian: null,
        metadata: storedMetadata(input.metadata),
        from,
      },
      (reference) => this.ask(draft, args(reference)),
    );
    return answerOfEvent(event, process);
  }

  private async plain(draft: Draft): Promise<PreparedGeneric> {
    const { actor, input, method, process, contract, from } = draft;
    const drafted = callArguments(method, input, ZERO_BYTES32);
    requireSameProcess(drafted, input.processId);
    await this.holds.check(actor, method, input, drafted);
    const metadata = storedMetadata(input.metadata);
    const note =
      carriesHash(method) && Object.keys(metadata).length > 0
        ? await this.notes.store(actor, { contract, from, call: { method: method.name }, metadata })
        : null;
    const args = callArguments(method, input, note?.dataHash ?? ZERO_BYTES32);
    const prepared = await this.ask(draft, args);
    const unplaced = !carriesHash(method) && Object.keys(metadata).length > 0;
    return {
      ...prepared,
      warnings: [
        ...prepared.warnings,
        ...(unplaced ? [`/metadata: ${method.name} has no place for the hash of content; the metadata is not stored.`] : []),
      ],
      method: method.name,
      args,
      processType: process?.processType ?? null,
      eventId: null,
      ipfsCid: note?.ipfsCid ?? null,
      dataHash: note?.dataHash ?? null,
    };
  }

  private async ask({ contract, from, method, input }: Draft, args: Readonly<Record<string, unknown>>): Promise<PreparedCall> {
    try {
      return await this.transactions.prepare({ contract, from, method: method.name, args: Object.values(args) });
    } catch (error) {
      throw error instanceof DomainError ? pointingAtRequest(error, input) : error;
    }
  }
}

const NO_EVENT: EventRef = { eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash: ZERO_BYTES32 };

/** @throws DomainError 422 `unknown_method` with the list, 403 `role_required` */
function methodOf(actor: Actor, input: GenericInput): Method {
  const lots = (input.inputTokenIds?.length ?? 0) > 0 ? ['tokenId'] : [];
  const method = findMethod(methodsOf(), input.method, [...Object.keys(namedArgs(input.metadata)), ...lots]);
  if (!method) throw unknownMethod(input.method, methodsOf());
  const roles = rolesFor(method.name);
  if (!hasRole(actor, ...roles)) throw roleRequired(roles);
  return method;
}

function answerOfEvent(event: PreparedEvent, { processType }: ProcessView): PreparedGeneric {
  const { preparedTx, hints, warnings, eventId, ipfsCid, dataHash } = event;
  const call = tenantLots.decodeCall(preparedTx.data)!;
  return { preparedTx, hints, warnings, method: call.name, args: call.args, processType, eventId, ipfsCid, dataHash };
}

function pointingAtRequest(error: DomainError, input: GenericInput): DomainError {
  const { errors, ...details } = error.details;
  if (!errors) return error;
  const moved = errors.map((problem) => ({ ...problem, pointer: inRequest(problem.pointer, input) }));
  return new DomainError(error.code, error.status, error.message, { ...details, errors: moved });
}
