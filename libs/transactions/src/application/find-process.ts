import { requireProcess } from '#identity';
import { type Actor, type Hex, ZERO_BYTES32 } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type ProcessView, Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import { unknownProcess } from '../domain/errors.js';

/** The process that a request names by its bytes32 id, if the caller's scope reaches it. */
@Injectable()
export class FindProcess {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly processes: Processes,
  ) {}

  /** Null for the zero id: the method has no process. @throws DomainError 403 outside the scope, 422 `unknown_process` */
  async find(actor: Actor, processId: string): Promise<ProcessView | null> {
    const id = processId.toLowerCase() as Hex;
    if (id === ZERO_BYTES32) return null;
    const process = await this.unitOfWork.inTransaction(actor, (tx) => this.processes.byProcessId(tx, id));
    if (!process) throw unknownProcess(processId);
    requireProcess(actor, process.processType);
    return process;
  }
}
