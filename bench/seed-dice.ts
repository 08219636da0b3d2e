/** Chance that falls the same way in every run (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  /** 0 included, 1 excluded. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** 0 to n - 1. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () =>
      this.below(2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
