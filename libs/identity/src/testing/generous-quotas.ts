import { Quotas } from '../contract.js';
import type { Usage } from '../domain/usage.js';

/** For tests without identity: everybody may use everything, and nobody counts. */
export class GenerousQuotas extends Quotas {
  override take(): Promise<void> {
    return Promise.resolve();
  }

  override requireRoom(): Promise<void> {
    return Promise.resolve();
  }

  override counted(): void {
    // Nobody asks.
  }

  override usage(): Promise<Usage> {
    return Promise.reject(new Error('nobody counts here'));
  }
}
