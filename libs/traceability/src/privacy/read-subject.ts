import { Injectable } from '@nestjs/common';
import { AuditLog } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { FindSubject, type HeldOfSubject } from './find-subject.js';

/** `POST /privacy/subjects` and `/privacy/export`: who asked for a person, when, and how much there was. */
@Injectable()
export class ReadSubject {
  constructor(
    private readonly subjects: FindSubject,
    private readonly work: UnitOfWork,
    private readonly audit: AuditLog,
  ) {}

  /** Nobody gets an answer that the audit log lacks. It does not say who was looked for: it would keep the name of a person who is erased. */
  async read(actor: Actor, subject: string, action: 'privacy.searched' | 'privacy.exported'): Promise<HeldOfSubject> {
    const held = await this.subjects.find(actor, subject);
    const { events, copies, complete } = held;
    const details = {
      events: events.length,
      values: events.reduce((sum, { values }) => sum + values.length, 0),
      copies: copies.reduce((sum, { rows }) => sum + rows, 0),
      complete,
    };
    await this.work.inTransaction(actor, (tx) => this.audit.record(tx, actor.tenantId, actor, { action, details }));
    return held;
  }
}
