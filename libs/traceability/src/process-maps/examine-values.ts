import { Injectable } from '@nestjs/common';
import { type Actor, invalidContent } from '#kernel';
import { type Issue, fault } from './event-reading.js';
import { ExamineProcessMap } from './publish-process-map.js';
import { CheckMetadata } from './schemas/check-metadata.js';

/** Holds values against a process of a map that need not be published. Nothing is stored. */
@Injectable()
export class ExamineValues {
  constructor(
    private readonly maps: ExamineProcessMap,
    private readonly schemas: CheckMetadata,
  ) {}

  /**
   * What the schema of the process says; pointers begin with `/metadata`.
   * @throws as `ExamineProcessMap.examine`; DomainError 422 `invalid_content` where the map has no such process
   */
  async examine(actor: Actor, document: object, processType: string, metadata: object): Promise<readonly Issue[]> {
    const { map } = await this.maps.examine(actor, document);
    const process = Object.hasOwn(map.document.processes, processType) ? map.document.processes[processType] : undefined;
    if (!process)
      throw invalidContent([{ pointer: '/processType', code: 'unknown_process', message: `The map has no process ${processType}.` }]);
    const { faults } = await this.schemas.verdict(actor.tenantId, { processType, process, map }, metadata);
    return faults.map(({ pointer, code, message }) => fault(`/metadata${pointer}`, code, message));
  }
}
