import { EngineUnavailable } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import { ComposePassport } from '../composing/compose-passport.js';
import type { PublicPassport } from '../composing/passport.js';
import { MakeBundle } from '../evidence/make-bundle.js';
import { type IssuedPassport, linkPathOf } from '../issuing/issued-passport.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import { labelOf, labelSvg } from '../label/label.page.js';
import { linkMatrix } from '../pages/symbols.page.js';
import { linksetOf } from '../public/linkset.js';
import { passportPage } from '../public/passport.page.js';
import { type ExportTarget, folderOfLink } from './export-folders.js';
import { verifyPage } from '../verifier/verify.page.js';

interface ExportCounts {
  readonly passports: number;
  readonly withdrawn: number;
  /** Passports without evidence: no node was named, or the blocks of the chain prove nothing. */
  readonly withoutEvidence: number;
}

type Counts = { -readonly [Name in keyof ExportCounts]: number };

const BATCH = 100;

/**
 * All passports of a tenant as files that any file host serves under the same addresses, so that they stay up when the tenant or the
 * service is gone (EN 18221). There is no list of them: a reader who has the goods has the address.
 */
@Injectable()
export class ExportPassports {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly composePassport: ComposePassport,
    private readonly makeBundle: MakeBundle,
  ) {}

  /** @param base `https://host`, with a path if the files are served below one; every link begins with it */
  async export(tenantId: string, base: string, target: ExportTarget): Promise<ExportCounts> {
    const counts: Counts = { passports: 0, withdrawn: 0, withoutEvidence: 0 };
    await target.write('verify/index.html', verifyPage());
    for (let after: string | null = null, more = true; more;) {
      const batch: readonly IssuedPassport[] = await this.work.inTransaction({ tenantId }, (tx) => this.passports.after(tx, after, BATCH));
      for (const issued of batch) await this.one(tenantId, issued, base, target, counts);
      after = batch.at(-1)?.id ?? null;
      more = batch.length === BATCH;
    }
    return counts;
  }

  private async one(tenantId: string, issued: IssuedPassport, base: string, target: ExportTarget, counts: Counts): Promise<void> {
    const folders = foldersOf(issued);
    if (issued.withdrawnAt) {
      for (const folder of folders) await target.remove(folder);
      counts.withdrawn++;
      return;
    }
    const { passport: shown } = await this.composePassport.compose(tenantId, issued.id, { origin: base, choice: '' });
    const bundle = shown.integrity === null ? null : await this.evidence(tenantId, issued, shown);
    if (bundle === null && shown.integrity !== null) counts.withoutEvidence++;
    const passport = withFiles(shown, base, folders.length > 1, bundle !== null);
    const matrix = await linkMatrix(issued.link);
    for (const folder of folders) {
      await target.write(`${folder}/index.html`, passportPage(passport, 'en', { verifier: `${base}/verify/`, matrix }));
      await target.write(`${folder}/passport.json`, JSON.stringify(passport));
      await target.write(`${folder}/linkset.json`, JSON.stringify(linksetOf(passport, `${passport.links.self}passport.json`)));
    }
    await target.write(`${folders[0]}/label.svg`, labelSvg(labelOf(passport)));
    if (bundle !== null) await target.write(`${folders[0]}/bundle.json`, bundle);
    // A file of an earlier export: the tenant may have hidden the evidence since, or what it says has changed.
    else await target.remove(`${folders[0]}/bundle.json`);
    counts.passports++;
  }

  private async evidence(tenantId: string, issued: IssuedPassport, passport: PublicPassport): Promise<string | null> {
    try {
      return await this.makeBundle.make({ tenantId, passport, ...issued }, 'public');
    } catch (error) {
      if (error instanceof EngineUnavailable && error.engine === 'chain') return null;
      throw error;
    }
  }
}

/** By id, and by Digital Link where that can be a folder: another code points to the folder by id. */
function foldersOf({ id, link }: IssuedPassport): [string, ...string[]] {
  const folder = folderOfLink(link);
  return [`p/${id}`, ...(folder === null ? [] : [folder])];
}

/** Links to files, whose names end in their type. @param linked whether its Digital Link leads to a file */
function withFiles(passport: PublicPassport, base: string, linked: boolean, bundle: boolean): PublicPassport {
  const own = `${base}/p/${passport.passportId}`;
  const path = linkPathOf(passport.product.key);
  const digitalLink = linked && path !== null ? base + path : null;
  return { ...passport, links: { self: `${own}/`, digitalLink, label: `${own}/label.svg`, bundle: bundle ? `${own}/bundle.json` : null } };
}
