import { randomBytes } from 'node:crypto';
import { FileContentStore } from '#content-storage';

// Run by the file store's spec, which kills it at any moment: says each CID once its bytes are durable.
const store = new FileContentStore(process.argv[2]!);
const putOn = async (): Promise<never> => {
  for (;;) process.stdout.write(`${(await store.put(randomBytes(20_000))).cid}\n`);
};
const putMany = async (): Promise<never> => {
  for (;;)
    for (const { cid } of await store.putAll(Array.from({ length: 20 }, () => randomBytes(20_000)))) process.stdout.write(`${cid}\n`);
};
await Promise.all([putOn(), putOn(), putMany(), putMany()]);
