import { Controller, Get, type Type } from '@nestjs/common';
import { ApiExtension, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { EnumField, JsonObjectField, StringField, WEBHOOKS_EXTENSION } from '#http';
import { Access } from '#identity';
import type { CatalogueTopic, TopicCatalogue } from './topic-catalogue.js';

const SIGNED = ['X-Webhook-Signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** What a receiver gets, as a path item of OpenAPI 3.1. */
const messageOf = ({ topic, description, schema, example }: CatalogueTopic): [string, object] => [
  topic,
  {
    post: {
      operationId: `on${topic.replaceAll(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      summary: description,
      tags: ['Webhooks'],
      security: [],
      parameters: SIGNED.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } })),
      requestBody: { required: true, content: { 'application/json': { schema, example } } },
      responses: { '2XX': { description: 'Received. Anything else, a redirection too, is sent again' } },
    },
  },
];

/** A class of its own for each catalogue: the API document lists the names of the topics. */
export function topicsController({ topics }: TopicCatalogue): Type {
  class TopicView implements CatalogueTopic {
    @EnumField(topics.map(({ topic }) => topic), { description: 'The name that `events` of a subscription takes' })
    topic: string;
    @StringField({ description: 'When it is published' }) description: string;
    @JsonObjectField({ description: 'JSON Schema 2020-12 of the whole body' }) schema: Readonly<Record<string, unknown>>;
    @JsonObjectField({ description: 'A body' }) example: CatalogueTopic['example'];
  }

  @ApiTags('Webhooks')
  @Access({ roles: ['TENANT_ADMIN'] })
  @Controller('api/v1/webhooks')
  class TopicsController {
    @Get('topics')
    @ApiOperation({ operationId: 'listTopics', summary: 'Topics with the JSON Schema of their bodies and an example of each' })
    @ApiExtension(WEBHOOKS_EXTENSION, Object.fromEntries(topics.map(messageOf)))
    @ApiOkResponse({ type: [TopicView] })
    topics(): readonly TopicView[] {
      return topics;
    }
  }
  return TopicsController;
}
