import { AuditLog } from '../contract.js';

/** Where a context is tested without identity. What is recorded, and that it is, is tested on the whole service. */
export class ForgetfulAuditLog extends AuditLog {
  override record(): Promise<void> {
    return Promise.resolve();
  }
}
