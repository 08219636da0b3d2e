import { Injectable } from '@nestjs/common';
import { type Actor, Clock, coversEveryProcess } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { changesUnknown, consumerNotFound } from '../errors.js';
import { TopicCatalogue } from '../topics/topic-catalogue.js';
import { ChangesQueries } from './changes.queries.js';
import { type Consumer, ConsumersQueries } from './consumers.queries.js';
import { cursorOf, placeIn } from './read-changes.js';

/** Makes, moves and deletes the consumers of a principal. */
@Injectable()
export class ChangeConsumer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly consumers: ConsumersQueries,
    private readonly changes: ChangesQueries,
    private readonly catalogue: TopicCatalogue,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 400 for a cursor of another feed, 410 for one that it does not have, 422 `webhook_topic_unknown`, 429 `quota_exceeded` */
  async put(
    actor: Actor,
    name: string,
    change: { readonly topics?: readonly string[] | null; readonly after?: string },
  ): Promise<Consumer> {
    const topics = change.topics && this.catalogue.checked(change.topics, 'topics');
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const position = change.after === undefined ? undefined : await this.positionOf(tx, change.after, '/after');
      await this.consumers.put(tx, actor, name, { topics, position, at: this.clock.now() });
      return this.consumers.byName(tx, actor, name);
    });
  }

  /** Before it is read from. @throws DomainError 404 `consumer_not_found` */
  use(actor: Actor, name: string): Promise<Consumer> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      const [consumer] = await Promise.all([
        this.consumers.byName(tx, actor, name),
        this.consumers.touch(tx, actor, name, this.clock.now()),
      ]);
      return consumer;
    });
  }

  /** @throws DomainError 404 `consumer_not_found`, 400 and 410 as `put` */
  async acknowledge(actor: Actor, name: string, cursor: string): Promise<Consumer> {
    return this.unitOfWork.inTransaction(actor, async (tx) => {
      await this.consumers.acknowledge(tx, actor, name, await this.positionOf(tx, cursor, '/cursor'), this.clock.now());
      return this.consumers.byName(tx, actor, name);
    });
  }

  /** @param owner another one's, for an administrator @throws DomainError 404 `consumer_not_found` */
  async remove(actor: Actor, name: string, owner = actor.id): Promise<void> {
    if (owner !== actor.id && !administersConsumers(actor)) throw consumerNotFound(name);
    await this.unitOfWork.inTransaction(actor, (tx) => this.consumers.remove(tx, owner, name));
  }

  /** A place that the feed does not have must not be stored: the next changes would be behind it. */
  private async positionOf(tx: TenantTx, cursor: string, pointer: string): Promise<number> {
    const place = cursor === 'latest' ? null : placeIn(tx.tenantId, cursor, pointer);
    const { last, keptFrom, markThere } = await this.changes.ends(tx, place?.position ?? null);
    if (place === null) return last.position;
    if (place.position > last.position || (place.mark !== '' && markThere !== null && markThere !== place.mark))
      throw changesUnknown(cursorOf(tx.tenantId, { position: keptFrom - 1, mark: '' }));
    return place.position;
  }
}

export const administersConsumers = (actor: Actor): boolean => coversEveryProcess(actor, ['TENANT_ADMIN']);
