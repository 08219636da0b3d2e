import type { Config } from '#config';

/** The reporting part of the configuration. A class, because it is an injection token too. */
export class ReportingSettings {
  readonly readyEveryMs: number;
  readonly followEveryMs: number;
  readonly alertsEveryMs: number;
  readonly notices: { readonly everyMs: number; readonly mailsEveryMs: number };
  readonly pointers: Config['reports']['pointers'];
  readonly narrator: Config['reports']['narrator'];

  /** Others may read the content store: an IPFS node gives its blocks to everybody who asks by their CID. */
  readonly storeIsShared: boolean;

  constructor({ reports, content }: Pick<Config, 'reports' | 'content'>) {
    this.storeIsShared = content.kind === 'kubo';
    this.readyEveryMs = reports.readyEveryMs;
    this.followEveryMs = reports.followEveryMs;
    this.alertsEveryMs = reports.alertsEveryMs;
    this.notices = { everyMs: reports.noticesEveryMs, mailsEveryMs: reports.noticeMailsEveryMs };
    this.pointers = reports.pointers;
    this.narrator = reports.narrator;
  }
}
