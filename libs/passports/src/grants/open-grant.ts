import { AuditLog } from '#identity';
import { Clock, atPointer } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { EventMetadata } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { DppDocument } from '../composing/dpp-document.js';
import type { DataElement } from '../elements/data-element.js';
import { elementBy } from '../elements/data-element.rules.js';
import { grantUnknown } from '../errors.js';
import type { PassportOnShow } from '../public/show-passport.js';
import { tokenHash } from './change-grants.js';
import { type Grant, classesOf, isAudited, isGrantToken, refusalOf } from './grant.js';
import { GrantsQueries } from './grants.queries.js';

/** What the holder of a grant reads. */
interface OpenedPassport {
  readonly grant: Grant;
  /** Everybody's document, and the elements of the classes of the grant. */
  readonly document: DppDocument;
  /** Those that everybody does not read, or not whole. */
  readonly more: readonly DataElement[];
}

/** Opens a passport for a person or an organisation outside of the tenant. */
@Injectable()
export class OpenGrant {
  constructor(
    private readonly work: UnitOfWork,
    private readonly grants: GrantsQueries,
    private readonly metadata: EventMetadata,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** What it would open, without using it. @throws DomainError 403 as `open` */
  read({ issued }: PassportOnShow, token: string): Promise<Grant> {
    return this.find(token, issued.id);
  }

  /**
   * Uses it: of several requests with one link one is answered.
   * @throws DomainError 403 `grant_unknown`, `grant_for_another_passport`, `grant_withdrawn`, `grant_expired`, `grant_used`
   */
  async open({ tenantId, issued, document }: PassportOnShow, token: string): Promise<OpenedPassport> {
    const { id } = await this.find(token, issued.id);
    return this.work.inTransaction({ tenantId }, async (tx) => {
      const grant = await this.usable(tx, id, issued.id);
      const now = this.clock.now();
      await this.grants.use(tx, grant.id, now);
      if (isAudited(grant, now)) {
        const { passportId, accessClass, grantee, purpose } = grant;
        const details = { passportId, accessClass, grantee, purpose };
        await this.audit.record(
          tx,
          tenantId,
          { kind: 'grant', id: grant.id },
          { action: 'passport.grant_used', subject: grant.id, details },
        );
      }
      const more = (await this.elements(tx, grant)).filter((element) => !document.elements.some((known) => isSame(known, element)));
      const named = new Map([...document.elements, ...more].map((element) => [element.elementId, element]));
      return { grant, document: { ...document, elements: [...named.values()] }, more };
    });
  }

  private async find(token: string, passportId: string): Promise<Grant> {
    if (!isGrantToken(token)) throw grantUnknown();
    const grant = await this.work.readAsSystem((tx) => this.grants.byToken(tx, tokenHash(token)));
    const refusal = refusalOf(grant, passportId, this.clock.now());
    if (refusal) throw refusal;
    return grant;
  }

  /** Locked: who comes second sees that it was used. */
  private async usable(tx: TenantTx, id: string, passportId: string): Promise<Grant> {
    const grant = await this.grants.forChange(tx, passportId, id);
    const refusal = refusalOf(grant, passportId, this.clock.now());
    if (refusal) throw refusal;
    return grant;
  }

  /** Of the asset type, as far as the classes of the grant go. */
  private async elements(tx: TenantTx, { passportId, accessClass }: Grant): Promise<DataElement[]> {
    const facts = await this.grants.facts(tx, passportId);
    const readable = facts && (await this.metadata.ofClasses(tx, facts.eventId, classesOf(accessClass)));
    return readable ? facts.dataElements.flatMap((rule) => elementBy(rule, (pointer) => atPointer(readable, pointer)) ?? []) : [];
  }
}

const isSame = (one: DataElement, other: DataElement): boolean => JSON.stringify(one) === JSON.stringify(other);
