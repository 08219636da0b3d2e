/** Where a block lies in a pack. */
export interface Place {
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

const FIRST_SLOTS = 4096;
/** 48 bits of a digest fit into a number. Two blocks of a million that share them cost one read in vain. */
const PREFIX_BYTES = 6;

/**
 * Blocks by digest in 20 bytes a slot, a million in some 40 MB: an open hash table in typed arrays, since a Map of strings takes five
 * times that. Digests are evenly spread, so that they are their own hash.
 */
export class BlockIndex {
  private count = 0;
  private slots = new Slots(FIRST_SLOTS);

  add(digest: Buffer, place: Place): void {
    // Above two thirds, what is not there is looked for too long.
    if (3 * (this.count + 1) > 2 * this.slots.size) this.grow();
    this.slots.put(digest.readUIntBE(0, PREFIX_BYTES), place);
    this.count++;
  }

  /** Newest first: the same block may have been packed again because the older one was damaged. */
  places(digest: Buffer): Place[] {
    return this.slots.all(digest.readUIntBE(0, PREFIX_BYTES)).toReversed();
  }

  private grow(): void {
    const larger = new Slots(2 * this.slots.size);
    this.slots.each((prefix, place) => larger.put(prefix, place));
    this.slots = larger;
  }
}

class Slots {
  private readonly prefixes: Float64Array;
  /** From 1; 0 is an empty slot. */
  private readonly packs: Uint32Array;
  private readonly offsets: Uint32Array;
  private readonly lengths: Uint32Array;

  /** @param size a power of two */
  constructor(readonly size: number) {
    this.prefixes = new Float64Array(size);
    this.packs = new Uint32Array(size);
    this.offsets = new Uint32Array(size);
    this.lengths = new Uint32Array(size);
  }

  put(prefix: number, { pack, offset, length }: Place): void {
    let slot = prefix % this.size;
    while (this.packs[slot] !== 0) slot = (slot + 1) % this.size;
    this.prefixes[slot] = prefix;
    this.packs[slot] = pack + 1;
    this.offsets[slot] = offset;
    this.lengths[slot] = length;
  }

  all(prefix: number): Place[] {
    const found: Place[] = [];
    for (let slot = prefix % this.size; this.packs[slot] !== 0; slot = (slot + 1) % this.size)
      if (this.prefixes[slot] === prefix) found.push(this.at(slot));
    return found;
  }

  /** In an order that keeps places of one digest in theirs: from an empty slot on, all the way round. */
  each(see: (prefix: number, place: Place) => void): void {
    const start = this.packs.indexOf(0);
    for (let i = 0; i < this.size; i++) {
      const slot = (start + i) % this.size;
      if (this.packs[slot] !== 0) see(this.prefixes[slot]!, this.at(slot));
    }
  }

  private at(slot: number): Place {
    return { pack: this.packs[slot]! - 1, offset: this.offsets[slot]!, length: this.lengths[slot]! };
  }
}
