/** How often a line that repeats is written. */
const EVERY_MS = 60_000;

/** Writes the line; `repeated` is how often it was due since it was last written, 0 the first time. */
type Write = (repeated: number) => void;

/**
 * A fault that lasts makes the same line many times a second. The first one is written at once, then one a minute with the number of those
 * that were left out. Numbers in a line, such as ports and durations, do not make it another one.
 */
export class RepeatedLines {
  private readonly pending = new Map<string, { write: Write; repeated: number }>();

  constructor(private readonly everyMs = EVERY_MS) {}

  /** @param parts what makes two lines the same */
  write(parts: readonly (string | null | undefined)[], write: Write): void {
    const key = parts.join('\n').replaceAll(/\d+/g, '#');
    const known = this.pending.get(key);
    if (known) {
      known.repeated++;
      known.write = write;
      return;
    }
    write(0);
    const line = { write, repeated: 0 };
    this.pending.set(key, line);
    this.watch(key, line);
  }

  private watch(key: string, line: { write: Write; repeated: number }): void {
    const timer = setInterval(() => {
      if (line.repeated > 0) line.write(line.repeated);
      else {
        clearInterval(timer);
        this.pending.delete(key);
      }
      line.repeated = 0;
    }, this.everyMs);
    timer.unref();
  }
}
