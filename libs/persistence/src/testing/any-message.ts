import type { MessageFacts, TopicMessage } from '#kernel';

/** A message that no topic made: tests of the road of a message need no complete payload. */
export const anyMessage = (topic: string, data: object, facts: MessageFacts): TopicMessage =>
  ({ ...facts, topic, data }) as unknown as TopicMessage;
