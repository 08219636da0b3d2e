interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds the statement, and what one client can make others wait for. */
const MOST = 64;

/** Asks together what requests of the same event-loop iteration ask: a transaction costs several times as much as a question in it. */
export class BatchedQuestions<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];

  /** @param answers of as many questions, in their order */
  constructor(private readonly answers: (questions: readonly Question[]) => Promise<readonly Answer[]>) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.send());
      if (this.waiting.length === MOST) this.send();
    });
  }

  private send(): void {
    const sent = this.waiting;
    this.waiting = [];
    if (sent.length > 0) void this.settle(sent);
  }

  private async settle(sent: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answers(sent.map(({ question }) => question));
      sent.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (sent.length === 1) return sent[0]!.reject(error);
      // One that cannot be answered must not refuse the others.
      for (const one of sent) void this.settle([one]);
    }
  }
}
