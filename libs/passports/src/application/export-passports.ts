import { Injectable } from '@nestjs/common';
import { EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { linkPath } from '../domain/digital-link.js';
import type { Issued } from '../domain/facts.js';
import { linksetOf } from '../domain/linkset.js';
import type { PublicPassport } from '../domain/passport.js';
import { PassportPages, Passports } from '../ports.js';
import { ComposePassport } from './compose-passport.js';
import { MakeBundle } from './make-bundle.js';

/** Where the files go: `write` replaces what is there, `remove` takes a file or a whole folder away, if it is there. */
export interface ExportTarget {
  write(path: string, content: string | Buffer): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface Exported {
  readonly passports: number;
  readonly withdrawn: number;
  /** Passports whose evidence could not be had: without a node, or on a chain whose blocks prove nothing. */
  readonly withoutEvidence: number;
}

const BATCH = 100;

/**
 * All passports of a tenant as files that any file host serves under the same addresses, so that they stay up when the tenant or the
 * service is gone (EN 18221). There is no list of them: who has the goods has the address.
 */
@Injectable()
export class ExportPassports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: Passports,
    private readonly composePassport: ComposePassport,
    private readonly makeBundle: MakeBundle,
    private readonly pages: PassportPages,
  ) {}

  /** @param base `https://host`, with a path where the files lie below one; every link begins with it */
  async export(tenantId: string, base: string, target: ExportTarget): Promise<Exported> {
    const counts = { passports: 0, withdrawn: 0, withoutEvidence: 0 };
    await target.write('verify/index.html', this.pages.verifier());
    for (let after: string | null = null, more = true; more; ) {
      const batch: readonly Issued[] = await this.work.inTransaction({ tenantId }, (tx) => this.passports.after(tx, after, BATCH));
      for (const issued of batch) await this.one(tenantId, issued, base, target, counts);
      after = batch.at(-1)?.id ?? null;
      more = batch.length === BATCH;
    }
    return counts;
  }

  private async one(
    tenantId: string,
    issued: Issued,
    base: string,
    target: ExportTarget,
    counts: { passports: number; withdrawn: number; withoutEvidence: number },
  ): Promise<void> {
    const folders = foldersOf(issued);
    if (issued.withdrawnAt) {
      for (const folder of folders) await target.remove(folder);
      counts.withdrawn++;
      return;
    }
    const { passport: shown } = await this.composePassport.compose(tenantId, issued.id, base);
    const bundle = shown.integrity === null ? null : await this.evidence(tenantId, issued, shown);
    if (bundle === null && shown.integrity !== null) counts.withoutEvidence++;
    const passport = withFiles(shown, base, folders.length > 1, bundle !== null);
    for (const folder of folders) {
      await target.write(`${folder}/index.html`, this.pages.page(passport, `${base}/verify/`));
      await target.write(`${folder}/passport.json`, JSON.stringify(passport));
      await target.write(`${folder}/linkset.json`, JSON.stringify(linksetOf(passport, `${passport.links.self}passport.json`)));
    }
    await target.write(`${folders[0]}/label.svg`, this.pages.label(passport));
    if (bundle !== null) await target.write(`${folders[0]}/bundle.json`, bundle);
    // One from before: since then the tenant shows it no more, or it says what is no longer so.
    else await target.remove(`${folders[0]}/bundle.json`);
    counts.passports++;
  }

  private async evidence(tenantId: string, issued: Issued, passport: PublicPassport): Promise<string | null> {
    try {
      return await this.makeBundle.make({ tenantId, passport, ...issued }, 'public');
    } catch (error) {
      if (error instanceof EngineUnavailable && error.engine === 'chain') return null;
      throw error;
    }
  }
}

/**
 * By id, and by Digital Link, decoded once as file hosts do. A code with `/` would lie in the folder of another one, and `.` and `..` name
 * others: those have their folder by id only.
 */
function foldersOf({ id, gtin, tlc }: Issued): [string, ...string[]] {
  return [`p/${id}`, ...(gtin === null || tlc.includes('/') || /^\.+$/.test(tlc) ? [] : [`01/${gtin}/10/${tlc}`])];
}

/** A file has its kind in its name. @param linked whether its Digital Link leads to a file */
function withFiles(passport: PublicPassport, base: string, linked: boolean, bundle: boolean): PublicPassport {
  const own = `${base}/p/${passport.passportId}`;
  const { gtin, lot } = passport.product;
  const digitalLink = linked && gtin !== null ? base + linkPath(gtin, lot) : null;
  return { ...passport, links: { self: `${own}/`, digitalLink, label: `${own}/label.svg`, bundle: bundle ? `${own}/bundle.json` : null } };
}
