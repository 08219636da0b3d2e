import type { Provider } from '@nestjs/common';
import { NarrowQuery } from '../repository/event-conditions.queries.js';
import { EpcisEventQueries } from '../repository/epcis-events.queries.js';
import { NamedQueryQueries } from '../repository/named-queries.queries.js';
import { PendingEventQueries } from '../repository/pending-events.queries.js';
import { QuerySubscriptionQueries } from '../subscriptions/query-subscriptions.queries.js';
import { MatchingEvents, SendQueryResults } from '../subscriptions/send-query-results.js';

export { EpcisEventQueries, NamedQueryQueries, NarrowQuery, PendingEventQueries, QuerySubscriptionQueries, SendQueryResults };
export { indexedEvent } from '../epcis/indexed-event.js';
export { nextDue } from '../subscriptions/schedule.js';

/** What sends the results of subscriptions, without the job that asks it to. */
export const queryResultProviders: readonly Provider[] = [
  EpcisEventQueries,
  NarrowQuery,
  NamedQueryQueries,
  QuerySubscriptionQueries,
  MatchingEvents,
  SendQueryResults,
];
