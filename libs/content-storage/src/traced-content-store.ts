import { inStep } from '#tracing';
import { type ContentAddress, ContentStore } from './content-store.js';

/** Tells the trace what a store is asked. */
export class TracedContentStore extends ContentStore {
  constructor(private readonly store: ContentStore) {
    super();
  }

  override put(bytes: Uint8Array): Promise<ContentAddress> {
    return inStep('content put', step(bytes.length), () => this.store.put(bytes));
  }

  override putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    const bytes = contents.reduce((sum, { length }) => sum + length, 0);
    return inStep('content put', step(bytes, contents.length), () => this.store.putAll(contents));
  }

  override get(cid: string): Promise<Uint8Array | null> {
    return inStep('content get', { kind: 'client' }, () => this.store.get(cid));
  }

  override check(): Promise<void> {
    return this.store.check();
  }
}

const step = (bytes: number, contents = 1) =>
  ({ kind: 'client', facts: { 'traceability.content.bytes': bytes, 'traceability.content.count': contents } }) as const;
