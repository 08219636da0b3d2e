import { describe, expect, it } from '@jest/globals';
import { defineTopic, FIELDS } from '#kernel';
import { topicCatalogue } from './topic-catalogue.js';

const nftCreated = defineTopic('nft.created', {
  description: 'A lot is minted.',
  fields: { tokenId: FIELDS.integer },
  example: { timestamp: '2026-11-28T08:00:00.000Z', data: { tokenId: 1 } },
});
const catalogue = topicCatalogue([nftCreated]);

describe('topics of a subscription', () => {
  it('keeps each once, webhook.test too', () => {
    expect(catalogue.checked(['nft.*', 'webhook.test', 'nft.*'])).toEqual(['nft.*', 'webhook.test']);
  });

  it.each(['nft.sold', 'foo.*', 'nft.', 'n*', 'NFT.created', ''])('refuses %s with its place', (topic) => {
    expect(() => catalogue.checked(['nft.created', topic])).toThrow(
      expect.objectContaining({ code: 'webhook_topic_unknown', details: { errors: [expect.objectContaining({ pointer: '/events/1' })] } }),
    );
  });

  it('shows as much of an unknown one as is needed to recognise it', () => {
    expect(() => catalogue.checked([`x${'y'.repeat(900_000)}`])).toThrow(/^There is no topic "xy{59}…"; GET/);
  });

  it('are described with the schema of the whole body and an example that has it', () => {
    expect(catalogue.topics.map(({ topic }) => topic)).toEqual(['nft.created', 'webhook.test']);
    expect(catalogue.topics[0]).toEqual({
      topic: 'nft.created',
      description: 'A lot is minted.',
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        required: ['event', 'timestamp', 'data'],
        properties: {
          event: { const: 'nft.created' },
          timestamp: { type: 'string', format: 'date-time' },
          data: { type: 'object', properties: { tokenId: { type: 'integer' } }, required: ['tokenId'] },
        },
      },
      example: { event: 'nft.created', timestamp: '2026-11-28T08:00:00.000Z', data: { tokenId: 1 } },
    });
  });
});
