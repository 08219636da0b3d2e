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

/** Converts a domain value to JSON: a bigint becomes a number, or a decimal string beyond 2^53 (docs/spec/api.md#conventions). */
export function plainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString();
  if (Array.isArray(value)) return value.map(plainJson);
  if (value instanceof Date) return value.toISOString();
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainJson(member)]));
}
