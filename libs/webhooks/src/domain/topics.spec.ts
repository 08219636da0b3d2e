import { describe, expect, it } from '@jest/globals';
import { checkedTopics } from './topics.js';

describe('topics of a subscription', () => {
  it('keeps each once, webhook.test too', () => {
    expect(checkedTopics(['nft.*', 'webhook.test', 'nft.*'])).toEqual(['nft.*', 'webhook.test']);
  });

  it.each(['nft.sold', 'foo.*', 'nft.', 'n*', 'NFT.created', ''])('refuses %s with its place', (topic) => {
    expect(() => checkedTopics(['nft.created', topic])).toThrow(
      expect.objectContaining({ code: 'webhook_topic_unknown', details: { errors: [expect.objectContaining({ pointer: '/events/1' })] } }),
    );
  });

  it('shows as much of an unknown one as is needed to recognise it', () => {
    expect(() => checkedTopics([`x${'y'.repeat(900_000)}`])).toThrow(/^There is no topic "xy{59}…"; GET/);
  });
});
