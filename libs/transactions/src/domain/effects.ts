/** What a transaction did to the tenant's lots (domain-decisions §2.4). */
export interface Effects {
  readonly eventIds: readonly string[];
  readonly tokenIds: readonly number[];
  /** Named as custody names them: `<tokenId>-<offerNo>`. */
  readonly transferIds: readonly string[];
}

export const NO_EFFECTS: Effects = { eventIds: [], tokenIds: [], transferIds: [] };
