import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { CheckEvidence } from '../../application/check-evidence.js';
import { IssuePassports } from '../../application/issue-passports.js';

/** Every second: what was made meanwhile has its passport, and some of those that stand are held against bytes and chain. */
@Injectable()
export class PassportPatrol extends Sweep {
  constructor(
    private readonly issuePassports: IssuePassports,
    private readonly checkEvidence: CheckEvidence,
  ) {
    super(1_000);
  }

  protected override async turn(leaving: AbortSignal): Promise<void> {
    await this.issuePassports.issue(leaving);
    await this.checkEvidence.checkNext(leaving);
  }
}
