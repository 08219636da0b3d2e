import { type Actor, invalidContent } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Lots } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type GenericInput, inRequest } from '../domain/call-arguments.js';
import { type Method, movedLots } from '../domain/method.js';

/** A lot on hold stays where it is, and so does a container of one. The contract knows of no holds. */
@Injectable()
export class CheckHolds {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly lots: Lots,
  ) {}

  /** @throws DomainError 422 `invalid_content` with `lot_on_hold` where a lot is named */
  async check(actor: Actor, method: Method, input: GenericInput, args: Readonly<Record<string, unknown>>): Promise<void> {
    const moved = movedLots(method, args);
    if (moved.length === 0) return;
    const tokenIds = moved.map(({ tokenId }) => tokenId);
    const held = await this.unitOfWork.inTransaction(actor, (tx) => this.lots.heldWithin(tx, tokenIds));
    const problems = moved.flatMap(({ tokenId, pointer }) => {
      const stopped = held.get(tokenId);
      if (stopped === undefined) return [];
      const message = stopped === tokenId ? `lot ${tokenId} is on hold` : `lot ${tokenId} holds lot ${stopped}, which is on hold`;
      return [{ pointer: inRequest(pointer, input), code: 'lot_on_hold', message }];
    });
    if (problems.length > 0) throw invalidContent(problems);
  }
}
