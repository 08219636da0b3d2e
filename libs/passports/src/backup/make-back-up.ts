import { createHash } from 'node:crypto';
import { ChainHead, ChainProfile } from '#chain';
import { Clock, DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { PassportVersion } from '../archive/passport-version.js';
import { VersionsQueries } from '../archive/versions.queries.js';
import { ComposePassport } from '../composing/compose-passport.js';
import type { DppDocument } from '../composing/dpp-document.js';
import { withoutErased } from '../composing/dpp-document.rules.js';
import { dppText } from '../dpp/dpp-text.rules.js';
import { type ExportTarget, folderOfLink } from '../export/export-folders.js';
import type { IssuedPassport } from '../issuing/issued-passport.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import { SettingsQueries } from '../settings/settings.queries.js';
import {
  BACK_UP_FORMAT,
  type BackUpManifest,
  type BackedUpPassport,
  MANIFEST_FILE,
  SITE_FOLDER,
  compressedFile,
  folderOfPassport,
  fullFile,
  versionFile,
  versionsFile,
} from './back-up.js';

const BATCH = 100;
/** A document names no host. */
const NOWHERE = { origin: '', choice: '' };

interface BackUpTenant {
  readonly tenantId: string;
  readonly slug: string;
}

interface BackUpCounts {
  readonly passports: number;
  readonly versions: number;
  /** Withdrawn, or of a tenant that shows none. */
  readonly omitted: number;
  readonly asOf: BackUpManifest['asOf'];
}

/** What a back-up reads. */
@Injectable()
export class BackUpQueries {
  constructor(
    readonly passports: PassportsQueries,
    readonly versions: VersionsQueries,
    readonly settings: SettingsQueries,
  ) {}
}

/** The public passports of a tenant with all of their versions, as files that answer the methods of EN 18222 that read. */
@Injectable()
export class MakeBackUp {
  constructor(
    private readonly work: UnitOfWork,
    private readonly queries: BackUpQueries,
    private readonly composePassport: ComposePassport,
    private readonly head: ChainHead,
    private readonly chain: ChainProfile,
  ) {}

  async make({ tenantId, slug }: BackUpTenant, clock: Clock, target: ExportTarget): Promise<BackUpCounts> {
    const [{ final }, { enabled }] = await this.work.read({ tenantId }, (tx) =>
      Promise.all([this.head.position(tx), this.queries.settings.read(tx)]),
    );
    const asOf = { time: clock.now().toISOString(), chainId: this.chain.chainId, block: final };
    const site = new Site(target);
    const passports: BackedUpPassport[] = [];
    let omitted = 0;
    for await (const issued of this.all(tenantId)) {
      const made = enabled && issued.withdrawnAt === null ? await this.one(tenantId, issued, site) : null;
      if (made) passports.push(made);
      else {
        omitted++;
        for (const folder of foldersOf(issued)) await site.remove(folder);
      }
    }
    const manifest: BackUpManifest = { format: BACK_UP_FORMAT, tenant: slug, asOf, passports, files: site.files };
    await target.write(MANIFEST_FILE, JSON.stringify(manifest));
    return { passports: passports.length, versions: passports.reduce((sum, { versions }) => sum + versions.length, 0), omitted, asOf };
  }

  private async *all(tenantId: string): AsyncGenerator<IssuedPassport> {
    for (let after: string | null = null, more = true; more;) {
      const batch: readonly IssuedPassport[] = await this.work.read({ tenantId }, (tx) => this.queries.passports.after(tx, after, BATCH));
      yield* batch;
      after = batch.at(-1)?.id ?? null;
      more = batch.length === BATCH;
    }
  }

  /** Null where its lot does not exist any more. */
  private async one(tenantId: string, { id }: IssuedPassport, site: Site): Promise<BackedUpPassport | null> {
    try {
      // What the public reads now is archived by then.
      const { document, issued } = await this.composePassport.compose(tenantId, id, NOWHERE);
      const compressed = dppText(document, 'compressed');
      await site.write(compressedFile(id), compressed);
      await site.write(fullFile(id), dppText(document, 'full'));
      const folder = folderOfLink(issued.link);
      if (folder !== null) await site.write(`${folder}/index.json`, compressed);
      const versions = await this.versions(tenantId, id, site);
      const { link, tlc, key, issuedAt } = issued;
      return { id, link, tlc, key, issuedAt: issuedAt.toISOString(), versions };
    } catch (error) {
      if (error instanceof DomainError && error.status === 404) return null;
      throw error;
    }
  }

  private async versions(tenantId: string, id: string, site: Site): Promise<BackedUpPassport['versions']> {
    const versions: { version: number; from: string; hash: string }[] = [];
    for (let after = 0, more = true; more;) {
      const batch: readonly PassportVersion[] = await this.work.read({ tenantId }, (tx) =>
        this.queries.versions.after(tx, id, after, BATCH),
      );
      for (const { version, from, hash, document } of batch) {
        await site.write(versionFile(id, version), dppText(withoutErased(JSON.parse(document)) as DppDocument, 'full'));
        versions.push({ version, from: from.toISOString(), hash });
      }
      after = batch.at(-1)?.version ?? after;
      more = batch.length === BATCH;
    }
    await site.write(versionsFile(id), JSON.stringify(versions));
    return versions;
  }
}

const foldersOf = ({ id, link }: IssuedPassport): string[] => [folderOfPassport(id), ...[folderOfLink(link)].flatMap((one) => one ?? [])];

/** The files that a host serves, with their hashes. */
class Site {
  readonly files: Record<string, string> = {};

  constructor(private readonly target: ExportTarget) {}

  async write(path: string, text: string): Promise<void> {
    await this.target.write(`${SITE_FOLDER}/${path}`, text);
    this.files[path] = createHash('sha256').update(text).digest('hex');
  }

  remove(folder: string): Promise<void> {
    return this.target.remove(`${SITE_FOLDER}/${folder}`);
  }
}
