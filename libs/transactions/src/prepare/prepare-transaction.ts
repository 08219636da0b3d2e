import { methodsOf, tenantLots } from '#chain';
import { type Actor, DomainError, type Hex, ZERO_BYTES32, invalidContent, requireProcess, senderOf } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { type Attach, type ContractCall, PrepareCall, type PreparedContractCall, type StoredContent, noteWith } from '#prepare';
import { EventPreparation, Lots, type ProcessView, Processes } from '#traceability';
import { Span } from '#tracing';
import { Injectable } from '@nestjs/common';
import { unknownMethod, unknownProcess } from '../errors.js';
import { type GenericInput, callArguments, inRequest, namedArgs, requireSameProcess, storedMetadata } from './call-arguments.rules.js';
import { type Method, carriesHash, findMethod, isAdministrative, movedLots, rolesFor, takesEvent } from './contract-method.js';
import { eventRequest, outputPointer } from './event-request.rules.js';

export interface PreparedTransaction extends PreparedContractCall {
  readonly processType: string | null;
  readonly eventId: string | null;
  readonly content: StoredContent | null;
}

/** `POST /tx/prepare`: any state-changing method of the tenant's contract (docs/spec/api.md#events-and-transactions). */
@Injectable()
export class PrepareTransaction {
  /** Each method has its own roles. */
  static readonly roles = 'member';

  constructor(
    private readonly prepareCall: PrepareCall,
    private readonly unitOfWork: UnitOfWork,
    private readonly processes: Processes,
    private readonly lots: Lots,
    private readonly events: EventPreparation,
  ) {}

  /**
   * @throws DomainError 403 outside the process scope or without the role, 422 `unknown_method`, `unknown_process`, `invalid_content`,
   * `tx_would_revert`
   */
  @Span('prepare transaction')
  async prepare(actor: Actor, input: GenericInput): Promise<PreparedTransaction> {
    const process = await this.processOf(actor, input.processId);
    const method = methodNamed(input);
    return method.name === 'recordEvent' ? this.recordEvent(actor, process, input) : this.call(actor, process, method, input);
  }

  private async call(actor: Actor, process: ProcessView | null, method: Method, input: GenericInput): Promise<PreparedTransaction> {
    const metadata = storedMetadata(input.metadata);
    const event = process && takesEvent(method) ? this.attachEvent(actor, process, metadata) : null;
    const prepared = await this.prepareCall.prepare<ContractCall['args']>(actor, {
      roles: rolesFor(method.name),
      everyProcess: isAdministrative(method.name),
      from: input.from,
      examine: async (tx) => {
        const args = callArguments(method, input, ZERO_BYTES32);
        if (!event) requireSameProcess(args, input.processId);
        await this.requireNoHold(tx, method, input, args);
        return args;
      },
      note: () => (carriesHash(method) ? noteWith({ method: method.name }, metadata) : null),
      event,
      calls: (_, reference) => [
        { method: method.name, args: { ...callArguments(method, input, reference.dataHash), ...(event && { e: reference }) } },
      ],
      explain: (error) => pointingAtRequest(error, input),
    });
    const { calls, content, event: attached } = prepared;
    const call = calls[0]!;
    const dropped = !carriesHash(method) && Object.keys(metadata).length > 0;
    return {
      ...call,
      // As the event commits to them.
      ...(attached && { args: tenantLots.decodeCall(call.preparedTx.data)!.args }),
      warnings: [
        ...call.warnings,
        ...(dropped ? [`/metadata: ${method.name} has no argument for the hash of content; the metadata is not stored.`] : []),
      ],
      processType: process?.processType ?? null,
      eventId: attached?.eventId ?? null,
      content,
    };
  }

  /** Null for the zero id: the method has no process. @throws DomainError 403 outside the scope, 422 `unknown_process` */
  private async processOf(actor: Actor, processId: string): Promise<ProcessView | null> {
    const id = processId.toLowerCase() as Hex;
    if (id === ZERO_BYTES32) return null;
    const process = await this.unitOfWork.inTransaction(actor, (tx) => this.processes.byProcessId(tx, id));
    if (!process) throw unknownProcess(processId);
    requireProcess(actor, process.processType);
    return process;
  }

  /**
   * A lot on hold is not moved, and neither is a container of one. The contract knows no holds.
   * @throws DomainError 422 `invalid_content` with `lot_on_hold` where the lot is named
   */
  private async requireNoHold(tx: TenantTx, method: Method, input: GenericInput, args: ContractCall['args']): Promise<void> {
    const moved = movedLots(method, args);
    if (moved.length === 0) return;
    const held = await this.lots.heldWithin(
      tx,
      moved.map(({ tokenId }) => tokenId),
    );
    const problems = moved.flatMap(({ tokenId, pointer }) => {
      const onHold = held.get(tokenId);
      if (onHold === undefined) return [];
      const message = onHold === tokenId ? `lot ${tokenId} is on hold` : `lot ${tokenId} contains lot ${onHold}, which is on hold`;
      return [{ pointer: inRequest(pointer, input), code: 'lot_on_hold', message }];
    });
    if (problems.length > 0) throw invalidContent(problems);
  }

  private attachEvent(actor: Actor, { processType }: ProcessView, metadata: GenericInput['metadata']): Attach<ContractCall['args']> {
    return (args, sender, call) => {
      const inputTokenIds = (args['tokenIds'] as readonly (number | string)[]).map(BigInt);
      return this.events.prepareAttached(
        actor,
        { processType, inputTokenIds, outputTlc: null, outputCustodian: null, metadata, from: sender },
        call,
      );
    };
  }

  /** The same preparation as events/prepare; a disposal is returned as `retire`. */
  private async recordEvent(actor: Actor, process: ProcessView | null, input: GenericInput): Promise<PreparedTransaction> {
    const from = senderOf(actor, input.from);
    if (!process) throw invalidContent([{ pointer: '/processId', code: 'required', message: 'recordEvent needs the id of a process' }]);
    const event = await this.events.prepare(actor, { ...eventRequest(input, process), from }).catch((error: unknown) => {
      throw error instanceof DomainError ? pointingBy(error, (pointer) => outputPointer(pointer, input)) : error;
    });
    const { preparedTx, hints, warnings, eventId, ipfsCid, dataHash } = event;
    const { name: method, args } = tenantLots.decodeCall(preparedTx.data)!;
    return { method, args, preparedTx, hints, warnings, processType: process.processType, eventId, content: { ipfsCid, dataHash } };
  }
}

/** @throws DomainError 422 `unknown_method` with the list of methods */
function methodNamed(input: GenericInput): Method {
  const lots = (input.inputTokenIds?.length ?? 0) > 0 ? ['tokenId'] : [];
  const method = findMethod(methodsOf(), input.method, [...Object.keys(namedArgs(input.metadata)), ...lots]);
  if (!method) throw unknownMethod(input.method, methodsOf());
  return method;
}

const pointingAtRequest = (error: DomainError, input: GenericInput): DomainError =>
  pointingBy(error, (pointer) => inRequest(pointer, input));

function pointingBy(error: DomainError, moved: (pointer: string) => string): DomainError {
  const { errors, ...details } = error.details;
  if (!errors) return error;
  const problems = errors.map((problem) => ({ ...problem, pointer: moved(problem.pointer) }));
  return new DomainError(error.code, error.status, error.message, { ...details, errors: problems });
}
