import { Injectable } from '@nestjs/common';
import { Sweep } from '#queue';
import { ResolveContent } from '../../application/resolve-content.js';

/** Every ten seconds, for those whose turn it is. */
@Injectable()
export class ContentSearch extends Sweep {
  constructor(private readonly resolveContent: ResolveContent) {
    super(10_000);
  }

  protected override turn(leaving: AbortSignal): Promise<number> {
    return this.resolveContent.resolve(leaving);
  }
}
