import type { DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { VersionsQueries } from '../archive/versions.queries.js';
import type { DppDocument } from '../composing/dpp-document.js';
import { passportUrn, withoutErased } from '../composing/dpp-document.rules.js';
import { passportNotFound, productIdAmbiguous, versionNotFound } from '../errors.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import type { PassportAddress } from '../issuing/passport-address.js';
import { type PassportOnShow, ShowPassport } from '../public/show-passport.js';
import { readDppId, readProductId } from './dpp-id.js';
import { DppIdsQueries, type NamedPassport } from './dpp-ids.queries.js';

type Reader = Pick<PassportRequest, 'publicOrigin' | 'ip'>;

/** A passport as it was at a time. */
export interface PassportThen {
  readonly shown: PassportOnShow;
  readonly document: DppDocument;
}

export interface DppIds {
  readonly ids: readonly string[];
  /** Where the next page begins; null on the last one. */
  readonly next: NamedPassport | null;
}

/** Reads passports as EN 18222 asks for them. */
@Injectable()
export class ReadDpp {
  constructor(
    private readonly work: UnitOfWork,
    private readonly showPassport: ShowPassport,
    private readonly versions: VersionsQueries,
    private readonly ids: DppIdsQueries,
  ) {}

  /** @throws DomainError 404 `passport_not_found`, 409 `product_id_ambiguous`, and as `ShowPassport` */
  byId(dppId: string, reader: Reader): Promise<PassportOnShow> {
    return this.show(readDppId(dppId), reader);
  }

  /** @throws DomainError as `byId` */
  byProductId(productId: string, reader: Reader): Promise<PassportOnShow> {
    return this.show(readProductId(productId), reader);
  }

  /** @throws DomainError as `byId`, 404 `version_not_found` before the first version */
  async at(dppId: string, date: Date, reader: Reader): Promise<PassportThen> {
    // What the public reads now is archived by then.
    const shown = await this.byId(dppId, reader);
    const version = await this.work.read(shown, (tx) => this.versions.at(tx, shown.issued.id, date));
    if (!version) throw versionNotFound(shown.issued.issuedAt.toISOString());
    return { shown, document: withoutErased(JSON.parse(version.document)) as DppDocument };
  }

  /** In the order of the identifiers that name them. @param after null = from the first */
  async idsOf(productIds: readonly string[], after: NamedPassport | null, limit: number): Promise<DppIds> {
    const addresses = productIds.map(readProductId);
    const found = await this.work.readAsSystem((tx) => this.ids.named(tx, addresses, after ?? { place: -1, id: '' }, limit + 1));
    const page = found.slice(0, limit);
    return { ids: page.map(({ id }) => passportUrn(id)), next: found.length > limit ? page.at(-1)! : null };
  }

  private async show(address: PassportAddress | null, reader: Reader): Promise<PassportOnShow> {
    if (address === null) throw passportNotFound();
    const found = await this.showPassport.find(address, reader).catch((error: DomainError) => {
      // EN 18222 Table 15 has no status for what is gone.
      throw error.code === 'passport_withdrawn' ? passportNotFound() : error;
    });
    if ('choices' in found) throw productIdAmbiguous(found.choices.map(({ path }) => path));
    return found;
  }
}
