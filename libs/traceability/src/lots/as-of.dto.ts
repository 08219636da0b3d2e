import type { ChainHead } from '#chain';
import { StringField, instantIn, malformedRequest } from '#http';
import type { TenantTx } from '#persistence';
import { asOfNotReached } from '../errors.js';
import { blockAt, timeOfBlock, type StateAsOf, NOW } from './lot-state.queries.js';

/** Query of every read that can look back (docs/spec/api.md#lots-custody-recall). */
export const AsOfField = (): PropertyDecorator =>
  StringField({
    description:
      'State as of a block number, or of the last block at or before a time (ISO 8601 with an offset): landing time, not event time',
    optional: true,
    minLength: 1,
    maxLength: 40,
  });

/** A query with nothing else. */
export class AsOfQuery {
  @AsOfField()
  asOf?: string;
}

/**
 * @throws DomainError 400 for what is neither a block nor a time, 422 `as_of_not_reached` for what the chain has not reached yet: its
 * answer could still change
 */
export async function stateAt(tx: TenantTx, chainHead: ChainHead, { asOf }: AsOfQuery): Promise<StateAsOf> {
  if (asOf === undefined) return NOW;
  const { head } = await chainHead.position(tx);
  if (/^\d+$/.test(asOf)) {
    const block = Number(asOf);
    if (block > head) throw asOfNotReached(asOf, head);
    return { block, time: await timeOfBlock(tx, block) };
  }
  if (/^[-+]?\d+(\.\d+)?$/.test(asOf))
    throw malformedRequest([{ pointer: '/asOf', code: 'invalid_block', message: `${asOf} is no block number.` }]);
  const time = instantIn(asOf, '/asOf');
  const [clock] = await tx.sql<{ reached: boolean }>('select $1::timestamptz <= now() as reached', [time]);
  if (!clock!.reached) throw asOfNotReached(asOf, head);
  return { block: await blockAt(tx, time), time };
}
