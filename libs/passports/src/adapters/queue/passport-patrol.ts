import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { CheckEvidence } from '../../application/check-evidence.js';
import { IssuePassports } from '../../application/issue-passports.js';

/** Every second: what was made meanwhile has its passport, and some of those that stand are held against bytes and chain. */
@Injectable()
export class PassportPatrol extends Sweep {
  private readonly leaving = new AbortController();

  constructor(
    private readonly issuePassports: IssuePassports,
    private readonly checkEvidence: CheckEvidence,
  ) {
    super(1_000);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await super.onApplicationShutdown();
  }

  protected override async turn(): Promise<void> {
    await this.issuePassports.issue(this.leaving.signal);
    await this.checkEvidence.checkNext(this.leaving.signal);
  }
}
