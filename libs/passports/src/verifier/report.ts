/** `unanswered`: a node was asked and gave no answer, which says nothing of the file. */
export type LinkState = 'ok' | 'broken' | 'left_out' | 'not_asked' | 'unanswered';

export interface CheckedLink {
  /** Which link of the chain from words to blocks. */
  readonly link: string;
  /** Of what: `file`, `passport`, or an event by its place. */
  readonly of: string;
  readonly state: LinkState;
  readonly detail: string;
}

export interface Report {
  /** No link is broken, and every one that a node was asked about was answered. */
  readonly ok: boolean;
  readonly links: readonly CheckedLink[];
}

/** The links that were checked so far. */
export class Findings {
  readonly links: CheckedLink[] = [];

  add(link: string, of: string, state: LinkState, detail: string): void {
    this.links.push({ link, of, state, detail });
  }

  check(link: string, of: string, holds: boolean, good: string, bad: string): void {
    this.add(link, of, holds ? 'ok' : 'broken', holds ? good : bad);
  }

  report(): Report {
    return { ok: this.links.every(({ state }) => state !== 'broken' && state !== 'unanswered'), links: this.links };
  }
}
