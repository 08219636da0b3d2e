import type { Config } from '#config';

/** What reports take from the configuration. A class, because it is an injection token too. */
export class ReportSettings {
  readonly readyEveryMs: number;
  readonly followEveryMs: number;
  readonly alertsEveryMs: number;
  readonly alertsKeptDays: number;
  readonly pointers: Config['reports']['pointers'];
  readonly narrator: Config['reports']['narrator'];

  constructor({ reports }: Pick<Config, 'reports'>) {
    this.readyEveryMs = reports.readyEveryMs;
    this.followEveryMs = reports.followEveryMs;
    this.alertsEveryMs = reports.alertsEveryMs;
    this.alertsKeptDays = reports.alertsKeptDays;
    this.pointers = reports.pointers;
    this.narrator = reports.narrator;
  }
}
