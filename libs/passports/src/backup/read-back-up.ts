import { createHash } from 'node:crypto';
import { instantIn, listCursor } from '#http';
import type { DppDocument } from '../composing/dpp-document.js';
import { passportUrn } from '../composing/dpp-document.rules.js';
import { readDppId, readProductId } from '../dpp/dpp-id.js';
import { type Representation, dppText, elementText } from '../dpp/dpp-text.rules.js';
import { elementPath } from '../elements/element-path.js';
import { backUpDamaged, passportNotFound, pathMalformed, pathNotSingular, versionNotFound } from '../errors.js';
import type { PassportAddress } from '../issuing/passport-address.js';
import { type BackUpManifest, type BackedUpPassport, SITE_FOLDER, compressedFile, fullFile, versionFile } from './back-up.js';

/** The content of a file of the folder; null where there is none. */
type ReadFile = (path: string) => Promise<Buffer | null>;

/** The methods of EN 18222 that read, from the files of a back-up alone. */
export class ReadBackUp {
  constructor(
    private readonly manifest: BackUpManifest,
    private readonly file: ReadFile,
  ) {}

  /** @throws DomainError 404 `passport_not_found`, 503 `back_up_damaged` */
  async byId(dppId: string, representation: Representation): Promise<Buffer> {
    return this.current(this.find(readDppId(dppId)), representation);
  }

  /** @throws DomainError as `byId` */
  async byProductId(productId: string, representation: Representation): Promise<Buffer> {
    return this.current(this.find(readProductId(productId)), representation);
  }

  /** @throws DomainError as `byId`, 400 of a text that is no time, 404 `version_not_found` before the first version */
  async at(dppId: string, date: string, representation: Representation): Promise<Buffer> {
    const [time, { id, versions, issuedAt }] = [instantIn(date, '/date'), this.find(readDppId(dppId))];
    const version = versions
      .filter(({ from }) => Date.parse(from) <= time.getTime())
      .toSorted((a, b) => Date.parse(b.from) - Date.parse(a.from) || b.version - a.version)[0];
    if (!version) throw versionNotFound(issuedAt);
    const document = await this.document(versionFile(id, version.version));
    return Buffer.from(dppText(document, representation));
  }

  /** @throws DomainError as `byId`, 400 `path_malformed`, `path_not_singular`, 404 `element_not_found` */
  async element(dppId: string, path: string, representation: Representation): Promise<Buffer> {
    const steps = elementPath(path);
    if (steps === 'path_malformed') throw pathMalformed();
    if (steps === 'path_not_singular') throw pathNotSingular();
    const { id } = this.find(readDppId(dppId));
    return Buffer.from(elementText(await this.document(fullFile(id)), steps, representation));
  }

  /** In the order of the identifiers that name them. @param cursor empty: from the first */
  idsOf(
    productIds: readonly string[],
    limit: number,
    cursor: string,
  ): { readonly dppIds: readonly string[]; readonly nextCursor?: string } {
    const list = listCursor('dpps', productIds);
    const [place, id = ''] = cursor === '' ? [] : list.place(cursor, (parts) => parts.length === 2 && /^\d{1,3}$/.test(parts[0]!));
    const after = { place: place === undefined ? -1 : Number(place), id };
    const addresses = productIds.map(readProductId);
    const found = this.manifest.passports
      .map((passport) => ({ place: addresses.findIndex((one) => one !== null && this.fits(passport, one)), id: passport.id }))
      .filter((one) => one.place >= 0 && (one.place - after.place || compared(one.id, after.id)) > 0)
      .toSorted((a, b) => a.place - b.place || compared(a.id, b.id));
    const [page, last] = [found.slice(0, limit), found[limit - 1]];
    return {
      dppIds: page.map((one) => passportUrn(one.id)),
      ...(found.length > limit && last && { nextCursor: list.after(String(last.place), last.id) }),
    };
  }

  private find(address: PassportAddress | null): BackedUpPassport {
    const found = address === null ? [] : this.manifest.passports.filter((passport) => this.fits(passport, address));
    // A void frees the code for another lot.
    const [passport] = found.toSorted((a, b) => compared(b.issuedAt, a.issuedAt));
    if (!passport) throw passportNotFound();
    return passport;
  }

  private fits({ id, link, tlc, key }: BackedUpPassport, address: PassportAddress): boolean {
    const { tenant } = this.manifest;
    if ('id' in address) return address.id === id;
    if ('code' in address) return address.tenant === tenant && address.code === key;
    return link === address.link && (address.lot ?? tlc) === tlc && (address.tenant ?? tenant) === tenant;
  }

  private current({ id }: BackedUpPassport, representation: Representation): Promise<Buffer> {
    return this.sound(representation === 'full' ? fullFile(id) : compressedFile(id));
  }

  private async document(path: string): Promise<DppDocument> {
    return JSON.parse((await this.sound(path)).toString()) as DppDocument;
  }

  /** @throws DomainError 503 `back_up_damaged` where a file is not what was written */
  private async sound(path: string): Promise<Buffer> {
    const bytes = await this.file(`${SITE_FOLDER}/${path}`);
    if (bytes === null || createHash('sha256').update(bytes).digest('hex') !== this.manifest.files[path]) throw backUpDamaged(path);
    return bytes;
  }
}

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
