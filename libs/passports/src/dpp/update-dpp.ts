import { type Actor, invalidContent, requireRole, type Role } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { PreparedEvent } from '#prepare';
import { ContentCorrections } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { Step } from '../elements/element-path.js';
import { elementNotFound, elementsUnknown, passportNotFound } from '../errors.js';
import { PublicPassportsQueries } from '../issuing/public-passports.queries.js';
import { readDppId } from './dpp-id.js';
import { patchAt, withChanges, writtenElements } from './dpp-writing.rules.js';
import { WriteTargetsQueries } from './write-targets.queries.js';

const CORRECTORS: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];
const MOST = 100;

type Json = Readonly<Record<string, unknown>>;

/** Changes elements of a passport by superseding the event that made the goods: the correction is prepared, and signed like any other call. */
@Injectable()
export class UpdateDpp {
  static readonly roles = CORRECTORS;

  constructor(
    private readonly work: UnitOfWork,
    private readonly addressed: PublicPassportsQueries,
    private readonly targets: WriteTargetsQueries,
    private readonly corrections: ContentCorrections,
  ) {}

  /** The passport of the actor's tenant. @throws DomainError 404 `passport_not_found` */
  async idOf(actor: Actor, dppId: string): Promise<string> {
    const address = readDppId(dppId);
    if (address === null) throw passportNotFound();
    const found = await this.work.readAsSystem((tx) => this.addressed.find(tx, address, MOST));
    const own = found.find(({ tenantId }) => tenantId === actor.tenantId);
    if (!own) throw passportNotFound();
    return own.id;
  }

  /** @param patch JSON Merge Patch (RFC 7396) of the compressed document @throws DomainError 404, 409, 422 as a correction */
  async update(actor: Actor, dppId: string, patch: Json): Promise<PreparedEvent> {
    requireRole(actor, CORRECTORS);
    const id = await this.idOf(actor, dppId);
    const recorded = await this.work.read(actor, (tx) => this.targets.recorded(tx, id));
    if (!recorded) throw elementsUnknown();
    const { changes, problems } = writtenElements(patch, recorded.dataElements);
    if (problems.length > 0) throw invalidContent(problems);
    if (changes.length === 0) throw invalidContent([{ pointer: '', code: 'nothing_written', message: 'The patch changes no element.' }]);
    const metadata = withChanges(recorded.metadata, changes);
    return this.corrections.supersede(actor, { eventId: recorded.eventId, reason: 'incorrect_data', metadata });
  }

  /** @param current the compressed document, of which a list is written whole @throws as `update` */
  updateElement(actor: Actor, dppId: string, { steps, value, current }: ElementChange): Promise<PreparedEvent> {
    const patch = patchAt(steps, value, current);
    if (patch === null) throw elementNotFound();
    return this.update(actor, dppId, patch);
  }
}

/** A value for an element. */
export interface ElementChange {
  readonly steps: readonly Step[];
  readonly value: unknown;
  readonly current: unknown;
}
