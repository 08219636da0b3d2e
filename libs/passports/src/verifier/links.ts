/** `unanswered`: a node was asked and gave no answer, which says nothing of the file. */
export type LinkState = 'ok' | 'broken' | 'left_out' | 'not_asked' | 'unanswered';

export interface CheckedLink {
  /** Which link of the chain from words to chain. */
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

export type Tell = (link: string, of: string, state: LinkState, detail: string) => void;
export type Check = (link: string, of: string, holds: boolean, good: string, bad: string) => void;
