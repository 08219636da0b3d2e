import { ChainHead } from '#chain';
import type { Actor } from '#kernel';
import { type Answer, AnswerCache, type Uncached } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { AsOf } from './report.js';

/** The text of a report up to `asOf`, and behind it: what it is based on moves with every block, and nothing else of it does. */
export interface ReportText extends Answer {
  readonly head: string;
}

/** Reports that stay the same until something of the tenant changes, as they were sent before. */
@Injectable()
export class ReadReportText {
  constructor(
    private readonly answers: AnswerCache,
    private readonly chainHead: ChainHead,
  ) {}

  /** @param make of a report that does not stay the same: the object that is sent */
  async read<Made extends ReportText | Uncached>(
    actor: Actor,
    question: readonly unknown[],
    make: () => Promise<Made>,
  ): Promise<{ readonly answer: Made; readonly asOf: AsOf }> {
    const { answer, read } = await this.answers.get(actor, ['report', ...question], make, (tx) => this.chainHead.position(tx));
    return { answer, asOf: read! };
  }
}
