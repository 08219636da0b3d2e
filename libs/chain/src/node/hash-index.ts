const FIRST_SLOTS = 4096;
/** 48 bits of a hash fit into a number. If two hashes have the same ones, the index returns one number too many. */
const PREFIX_BYTES = 6;

/**
 * Numbers of blocks by hash, 24 bytes each: an open-addressing table in typed arrays, because a Map of strings needs five times as much.
 * Hashes are evenly distributed, so they need no hash function.
 */
export class HashIndex {
  private count = 0;
  private prefixes = new Float64Array(FIRST_SLOTS);
  /** From 1; 0 is an empty slot. */
  private numbers = new Uint32Array(FIRST_SLOTS);

  /** @param at where the hash begins in the bytes */
  add(bytes: Buffer, at: number, number: number): void {
    if (3 * (this.count + 1) > 2 * this.numbers.length) this.grow();
    this.put(bytes.readUIntBE(at, PREFIX_BYTES), number + 1);
    this.count++;
  }

  /** Candidates: the caller compares the whole hash. Newest last. */
  find(hash: string): number[] {
    const prefix = Number.parseInt(hash.slice(2, 2 + 2 * PREFIX_BYTES), 16);
    const found: number[] = [];
    const size = this.numbers.length;
    for (let slot = prefix % size; this.numbers[slot] !== 0; slot = (slot + 1) % size)
      if (this.prefixes[slot] === prefix) found.push(this.numbers[slot]! - 1);
    return found;
  }

  private put(prefix: number, number: number): void {
    const size = this.numbers.length;
    let slot = prefix % size;
    for (; this.numbers[slot] !== 0; slot = (slot + 1) % size)
      // A block that is written again with the same hash is one entry.
      if (this.prefixes[slot] === prefix && this.numbers[slot] === number) return;
    this.prefixes[slot] = prefix;
    this.numbers[slot] = number;
  }

  private grow(): void {
    const { prefixes, numbers } = this;
    this.prefixes = new Float64Array(2 * prefixes.length);
    this.numbers = new Uint32Array(2 * numbers.length);
    for (let slot = 0; slot < numbers.length; slot++) if (numbers[slot] !== 0) this.put(prefixes[slot]!, numbers[slot]!);
  }
}
