import type { BlockMark } from './chain-step.js';

/** The last blocks of the projected chain. Invariant: each one's parent is the one before, and the last is the cursor's head. */
export class BlockWindow {
  constructor(
    private marks: readonly BlockMark[],
    readonly size: number,
  ) {
    if (marks.length === 0) throw new RangeError('a window holds at least the head');
  }

  get tip(): BlockMark {
    return this.marks.at(-1)!;
  }

  get floor(): number {
    return this.marks[0]!.number;
  }

  at(number: number): BlockMark | undefined {
    return this.marks[number - this.floor];
  }

  /** Newest first. */
  newestFirst(): readonly BlockMark[] {
    return this.marks.toReversed();
  }

  /** Marks that continue the window, or that begin a new one after a gap of final blocks. */
  append(marks: readonly BlockMark[]): void {
    const continues = marks[0]!.number === this.tip.number + 1;
    this.marks = [...(continues ? this.marks : []), ...marks].slice(-this.size);
  }

  rollBack(lastGood: number): void {
    this.marks = this.marks.filter((mark) => mark.number <= lastGood);
  }
}
