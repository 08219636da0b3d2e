import { notRunHere } from '../harness/not-run-here.js';
import { findRedis, startRedis } from './queue-redis.js';
import { webhooksSuite } from './webhooks.suite.js';

webhooksSuite('PostgreSQL', null);

const redis = findRedis();
if (redis) webhooksSuite(`Redis (${redis.from})`, () => startRedis(redis));
else notRunHere('webhooks with the queue on Redis: install redis-server, or set TEST_REDIS_BIN or TEST_REDIS_URL');
