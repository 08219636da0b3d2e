import { yieldToEventLoop } from '#kernel';
import { malformedRequest } from '../problems/refusals.js';
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
  MAX_DEPTH,
  type Place,
  QUOTE,
  WHOLE,
  checkedJson,
  nameTwice,
  notJson,
  tooDeep,
} from './json-text.js';

/** Characters from which on a list or an object is read in parts, and that are scanned between two readings of the time. */
const PART = 32 * 1024;
/** Milliseconds for which a part may keep others waiting before there is a pause. */
const MOST_MS = 5;

type Path = readonly (string | number)[];

/** Items of a list or members of an object that follow each other, without the commas around them. */
interface Part {
  readonly from: number;
  readonly to: number;
  /** Whether it is one item or member, which may be large. */
  readonly isOne: boolean;
}

/** How far the items of a list, or the members of an object, have been scanned. */
interface Scan {
  at: number;
  /** Start of the part, and of its last item. */
  from: number;
  item: number;
  depth: number;
}

/**
 * What `checkedJson` returns and throws, for a text of megabytes: read in parts of some ten kilobytes, between which other tasks run.
 * `JSON.parse` would hold them up for hundreds of milliseconds.
 */
export const parseInParts = (text: string): Promise<unknown> => new PartReader(text).value(0, text.length, []);

class PartReader {
  private began = performance.now();

  constructor(private readonly text: string) {}

  async value(start: number, end: number, path: Path): Promise<unknown> {
    const [from, to] = await this.trimmed(start, end);
    const [first, last] = [this.text.charCodeAt(from), this.text.charCodeAt(to - 1)];
    const isList = first === BRACKET && last === BRACKET_END;
    if (to - from < PART || !(isList || (first === BRACE && last === BRACE_END)))
      return checkedJson(this.text.slice(from, to), { ...WHOLE, path, offset: from });
    if (path.length >= MAX_DEPTH) throw malformedRequest([tooDeep(path)]);
    const [inner, innerEnd] = await this.trimmed(from + 1, to - 1);
    if (inner === innerEnd) return isList ? [] : {};
    return isList ? this.list(inner, innerEnd, path) : this.object(inner, innerEnd, path);
  }

  private async list(start: number, end: number, path: Path): Promise<unknown[]> {
    const items: unknown[] = [];
    for await (const { from, to, isOne } of this.parts(start, end)) {
      if (isOne && to - from >= PART) items.push(await this.value(from, to, [...path, items.length]));
      else {
        const read = checkedJson(`[${this.text.slice(from, to)}]`, placeOf(path, items.length, from)) as unknown[];
        if (read.length === 0) throw notJson(to);
        append(items, read);
      }
      await this.pause();
    }
    return items;
  }

  private async object(start: number, end: number, path: Path): Promise<object> {
    const members: Record<string, unknown> = {};
    const add = (name: string, value: unknown): void => {
      if (Object.hasOwn(members, name)) throw nameTwice([...path, name]);
      members[name] = value;
    };
    const addAll = (read: object): void => {
      for (const [name, value] of Object.entries(read)) add(name, value);
    };
    for await (const { from, to, isOne } of this.parts(start, end)) {
      if (isOne && to - from >= PART) await this.member(from, to, path, add);
      else {
        const read = checkedJson(`{${this.text.slice(from, to)}}`, placeOf(path, 0, from)) as object;
        if (Object.keys(read).length === 0) throw notJson(to);
        addAll(read);
      }
      await this.pause();
    }
    return members;
  }

  /** One member with a large value, or a long name. */
  private async member(start: number, end: number, path: Path, add: (name: string, value: unknown) => void): Promise<void> {
    const [from] = await this.trimmed(start, end);
    const nameEnd = this.text.charCodeAt(from) === QUOTE ? this.endOfText(from, end) + 1 : end;
    const [colon] = await this.trimmed(nameEnd, end);
    if (this.text[colon] !== ':' || colon >= end) throw notJson(Math.min(colon, end));
    // An object of its own, so that its name is checked as all others are.
    const [name] = Object.keys(checkedJson(`{${this.text.slice(from, nameEnd)}:0}`, placeOf(path, 0, from)) as object) as [string];
    add(name, await this.value(colon + 1, end, [...path, name]));
  }

  /** Cuts at the commas between the items: together they have some ten kilobytes, and one that has more is a part of its own. */
  private async *parts(start: number, end: number): AsyncGenerator<Part> {
    const scan: Scan = { at: start, from: start, item: start, depth: 0 };
    while (scan.at < end) {
      const comma = this.nextCut(scan, end);
      if (comma === null) await this.pause();
      else {
        yield* partsBetween(scan.from, scan.item, comma);
        scan.at = scan.from = scan.item = comma + 1;
      }
    }
    if (scan.depth > 0) throw notJson(end);
    yield* partsBetween(scan.from, scan.item, end);
  }

  /**
   * Scans some ten kilobytes. A function of its own, as the engine does not compile a loop in a generator: that took 200 ns a character.
   * @returns the position of a comma after which a part begins; null: none was found yet
   */
  private nextCut(scan: Scan, end: number): number | null {
    let { at, item, depth } = scan;
    const until = Math.min(end, at + PART);
    for (; at < until; at++) {
      const code = this.text.charCodeAt(at);
      if (code === QUOTE) at = this.endOfText(at, end);
      else if (code === BRACKET || code === BRACE) depth++;
      else if (code === BRACKET_END || code === BRACE_END) depth--;
      else if (code === COMMA && depth === 0) {
        if (at - scan.from >= PART) break;
        item = at + 1;
      }
      if (depth < 0) throw notJson(at);
    }
    Object.assign(scan, { at, item, depth });
    return at < until ? at : null;
  }

  /** Position of the quote that closes a text, or the end. */
  private endOfText(start: number, end: number): number {
    for (let i = start + 1; i < end; i++) {
      const code = this.text.charCodeAt(i);
      if (code === QUOTE) return i;
      if (code === BACKSLASH) i++;
    }
    return end;
  }

  /** Without the white space at both ends. */
  private async trimmed(start: number, end: number): Promise<[number, number]> {
    let [from, to] = [start, end];
    for (; from < to && isSpace(this.text.charCodeAt(from)); from++) if (from % PART === 0) await this.pause();
    for (; to > from && isSpace(this.text.charCodeAt(to - 1)); to--) if (to % PART === 0) await this.pause();
    return [from, to];
  }

  private async pause(): Promise<void> {
    if (performance.now() - this.began < MOST_MS) return;
    await yieldToEventLoop();
    this.began = performance.now();
  }
}

function append(items: unknown[], read: readonly unknown[]): void {
  for (const item of read) items.push(item);
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

const placeOf = (path: Path, firstItem: number, from: number): Place => ({ path, firstItem, offset: from - 1 });

/** What comes before the last item, and the last item; together if that is small. */
function partsBetween(from: number, item: number, to: number): Part[] {
  if (item === from || to - item < PART) return [{ from, to, isOne: item === from }];
  return [
    { from, to: item - 1, isOne: false },
    { from: item, to, isOne: true },
  ];
}
