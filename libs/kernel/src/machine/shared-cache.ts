interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

interface Share<Value> {
  /** What was used last is at the end. */
  readonly entries: Map<string, Entry<Value>>;
  weight: number;
}

/**
 * A cache of limited weight in which no owner has more than a share. An owner whose share is full loses what it used longest ago; when the
 * whole is full, the owner that holds most loses it. So what one tenant reads does not push out what another one needs.
 */
export class SharedCache<Value> {
  private readonly shares = new Map<string, Share<Value>>();
  private held = 0;

  /** @param dropped is called for every value that is no longer kept, also where another one replaces it */
  constructor(
    private readonly most: { readonly whole: number; readonly share: number },
    private readonly dropped: (value: Value) => void = () => undefined,
  ) {}

  /** Of all that is held. */
  get weight(): number {
    return this.held;
  }

  get(owner: string, key: string): Value | undefined {
    const share = this.shares.get(owner);
    const entry = share?.entries.get(key);
    if (!share || !entry) return undefined;
    share.entries.delete(key);
    share.entries.set(key, entry);
    return entry.value;
  }

  /** What is heavier than a share is not kept. */
  set(owner: string, key: string, value: Value, weight: number): void {
    this.take(owner, key, value);
    if (weight > this.most.share) return this.dropped(value);
    const share = this.shares.get(owner) ?? { entries: new Map<string, Entry<Value>>(), weight: 0 };
    while (share.weight + weight > this.most.share) this.dropOldest(owner);
    while (this.held + weight > this.most.whole) this.dropOldest(this.heaviest());
    share.entries.set(key, { value, weight });
    share.weight += weight;
    this.held += weight;
    this.shares.set(owner, share);
  }

  private heaviest(): string {
    let [found, most] = ['', -1];
    for (const [owner, { weight }] of this.shares) if (weight > most) [found, most] = [owner, weight];
    return found;
  }

  private dropOldest(owner: string): void {
    this.delete(owner, this.shares.get(owner)!.entries.keys().next().value!);
  }

  delete(owner: string, key: string): void {
    this.take(owner, key, null);
  }

  /** Everything of this owner. */
  forget(owner: string): void {
    for (const key of [...(this.shares.get(owner)?.entries.keys() ?? [])]) this.delete(owner, key);
  }

  private take(owner: string, key: string, next: Value | null): void {
    const share = this.shares.get(owner);
    const entry = share?.entries.get(key);
    if (!share || !entry) return;
    share.entries.delete(key);
    share.weight -= entry.weight;
    this.held -= entry.weight;
    if (share.entries.size === 0) this.shares.delete(owner);
    if (entry.value !== next) this.dropped(entry.value);
  }
}

/** Bytes of a JSON value without its texts: the object, and the slot that holds it. */
const VALUE_BYTES = 128;

/** About the memory that a parsed JSON value takes. Small values take most: `[{},{},…]` takes forty times the bytes of its text. */
export function heldBytes(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const here = open.pop();
    bytes += VALUE_BYTES;
    if (typeof here === 'string') bytes += here.length;
    else if (Array.isArray(here)) for (const item of here) open.push(item);
    else if (typeof here === 'object' && here !== null)
      for (const [name, member] of Object.entries(here)) {
        bytes += name.length;
        open.push(member);
      }
  }
  return bytes;
}
