/** Bytes that go out at once. */
const PIECE = 2 ** 17;

/**
 * A long text as UTF-8, in pieces, made from parts that are whole texts themselves: each is written where it belongs. Joined into one
 * text first, which is then made into bytes, the same takes five times as long.
 */
export class TextPieces {
  private full: Buffer[] = [];
  /** What there is room for; the pieces before were taken from its front. */
  private room = Buffer.allocUnsafeSlow(PIECE);
  private used = 0;

  write(part: string): void {
    // The most that UTF-8 takes: of a text that does not fit, only the beginning would be written.
    const most = 3 * part.length;
    if (most > this.room.length - this.used) {
      this.end();
      if (most <= PIECE) this.room = Buffer.allocUnsafeSlow(PIECE);
    }
    if (most > PIECE) this.full.push(Buffer.from(part));
    else this.used += this.room.write(part, this.used);
  }

  /** Full pieces that were not taken yet. */
  taken(): readonly Buffer[] {
    if (this.full.length === 0) return NONE;
    const taken = this.full;
    this.full = [];
    return taken;
  }

  /** The rest, as a piece of its own. */
  end(): void {
    if (this.used === 0) return;
    this.full.push(this.room.subarray(0, this.used));
    this.room = this.room.subarray(this.used);
    this.used = 0;
  }
}

const NONE: readonly Buffer[] = [];
