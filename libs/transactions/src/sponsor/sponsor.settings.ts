/** What an operator may set. */
export class SponsorSettings {
  constructor(
    /** How often it looks for work. */
    readonly pollMs: number,
    /** A transaction that no block has after this time is sent again with higher fees. */
    readonly replaceAfterMs: number,
  ) {}
}
