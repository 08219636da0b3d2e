/** Bytes that are sent at once. */
const PIECE = 2 ** 17;

/**
 * Builds a long text as UTF-8 pieces from complete parts, each written directly into the buffer. To join the parts first and then encode the
 * whole text takes five times as long.
 */
export class TextPieces {
  private full: Buffer[] = [];
  /** Free space; the previous pieces were cut from its front. */
  private room = Buffer.allocUnsafeSlow(PIECE);
  private used = 0;

  write(part: string): void {
    // Maximum length in UTF-8: of a text that does not fit, only the beginning would be written.
    const most = 3 * part.length;
    if (most > this.room.length - this.used) {
      this.end();
      if (most <= PIECE) this.room = Buffer.allocUnsafeSlow(PIECE);
    }
    if (most > PIECE) this.full.push(Buffer.from(part));
    else this.used += this.room.write(part, this.used);
  }

  /** Full pieces since the last call. */
  taken(): readonly Buffer[] {
    if (this.full.length === 0) return NONE;
    const taken = this.full;
    this.full = [];
    return taken;
  }

  /** Adds the rest as a last piece. */
  end(): void {
    if (this.used === 0) return;
    this.full.push(this.room.subarray(0, this.used));
    this.room = this.room.subarray(this.used);
    this.used = 0;
  }
}

const NONE: readonly Buffer[] = [];

/**
 * Converts a domain value to JSON: a bigint becomes a number, or a decimal string beyond 2^53 (docs/spec/api.md#conventions). What contains
 * nothing to convert is returned as it is: to copy the rows of a report takes longer than to write them.
 */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? plainList(value) : plainMembers(value as Readonly<Record<string, unknown>>);
}

function plainList(list: readonly unknown[]): readonly unknown[] {
  const plain = list.map(plainJson);
  return plain.some((item, i) => item !== list[i]) ? plain : list;
}

function plainMembers(members: Readonly<Record<string, unknown>>): object {
  const names = Object.keys(members);
  const plain = names.map((name) => plainJson(members[name]));
  return plain.some((member, i) => member !== members[names[i]!]) ? Object.fromEntries(names.map((name, i) => [name, plain[i]])) : members;
}
