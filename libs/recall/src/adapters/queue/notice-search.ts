import { Sweep } from '#queue';
import { Injectable } from '@nestjs/common';
import { ResolveNotices } from '../../application/resolve-notices.js';

/** Every ten seconds, for those whose turn it is. */
@Injectable()
export class NoticeSearch extends Sweep {
  constructor(private readonly resolveNotices: ResolveNotices) {
    super(10_000);
  }

  protected override turn(leaving: AbortSignal): Promise<number> {
    return this.resolveNotices.resolve(leaving);
  }
}
