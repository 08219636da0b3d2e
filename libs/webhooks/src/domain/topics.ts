import { TOPICS } from '#kernel';
import { topicUnknown } from './errors.js';

/** What in `events` lets a topic through: itself, its family (`custody.*`) and everything (`*`). The fan-out's SQL says the same. */
const patternsOf = (topic: string): readonly string[] => [topic, `${topic.split('.')[0]}.*`, '*'];

const KNOWN: ReadonlySet<string> = new Set(TOPICS.flatMap((topic) => patternsOf(topic)));

/** The list without repetitions. @throws DomainError 422 `webhook_topic_unknown` with the pointer of the first unknown one */
export function checkedTopics(events: readonly string[]): string[] {
  const unknown = events.findIndex((event) => !KNOWN.has(event));
  if (unknown >= 0) throw topicUnknown(events[unknown]!, unknown);
  return [...new Set(events)];
}
