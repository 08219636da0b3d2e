import { DomainError } from '#kernel';
import { serviceBusy, tooManyHeavyRequests } from './heavy-work.js';

/** Does the same work once for all who ask for it meanwhile. Who finds that the first one had no room left asks for themselves. */
export class SharedWork<Key, Value> {
  private readonly pending = new Map<Key, Promise<Value>>();

  async run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const shared = this.pending.get(key);
    if (!shared) return this.start(key, work);
    try {
      return await shared;
    } catch (error) {
      if (isLackOfRoom(error)) return this.run(key, work);
      throw error;
    }
  }

  private start(key: Key, work: () => Promise<Value>): Promise<Value> {
    const own = work().finally(() => this.pending.delete(key));
    this.pending.set(key, own);
    return own;
  }
}

const isLackOfRoom = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === tooManyHeavyRequests.code || error.code === serviceBusy.code);
