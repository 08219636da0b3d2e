import { notRunHere } from '../harness/not-run-here.js';
import { startOwnPostgres } from './persistence-server.js';
import { findRedis, startRedis } from './queue-redis.js';
import { jobQueueSuite } from './queue.suite.js';

jobQueueSuite(
  'the embedded PostgreSQL',
  async () => {
    const postgres = await startOwnPostgres();
    return { ...postgres, engine: { kind: 'database', at: postgres.endpoint } };
  },
  true,
);

const redis = findRedis();
if (redis) jobQueueSuite(`Redis (${redis.from})`, () => startRedis(redis), 'program' in redis);
else notRunHere('job queue on Redis: install redis-server, or set TEST_REDIS_BIN or TEST_REDIS_URL');
