import { BullMqJobQueue, openQueueConnections, type QueueEngine } from '#queue';

// Run by the queue suite, which kills it in the middle of its job.
const { engine, topic, lockMs } = JSON.parse(process.argv[2]!) as { engine: QueueEngine; topic: string; lockMs: number };
const queue = new BullMqJobQueue(await openQueueConnections(engine, console.error), { lockMs, stalledMs: 500 });
await queue.consume(topic, async () => {
  process.stdout.write('taken\n');
  await new Promise(() => undefined);
});
