/** What a change of a passport goes back to: the latest event of the lot's history then, with its transaction. */
export interface ChangeReference {
  readonly eventId: string;
  readonly chainId: number | null;
  readonly contract: string | null;
  readonly txHash: string | null;
  readonly block: number | null;
}

/** What the public read of a passport from a time on. */
export interface PassportVersion {
  readonly version: number;
  /** `lastUpdated` of its document. */
  readonly from: Date;
  /** Canonical JSON (RFC 8785) of the document in full representation. */
  readonly document: string;
  /** sha2-256 of the document as it was archived. */
  readonly hash: string;
  readonly change: ChangeReference | null;
  /** Address that signed the event that this version is the first with; null where it follows from something else. */
  readonly actor: string | null;
  /** Organisation of that event. */
  readonly orgId: string | null;
}

/** In the place of a value that was erased alone (`#persistence`). */
const ERASED = '[erased]';

/** Pointers to what was erased of a document since it was archived: it has no null and no such text otherwise. */
export function erasedIn(document: unknown): string[] {
  const found: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (value === null || (typeof value === 'string' && value.includes(ERASED))) found.push(at);
    else if (typeof value === 'object')
      for (const [name, member] of Object.entries(value)) visit(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  visit(document, '');
  return found;
}
