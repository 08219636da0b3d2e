import type { SAXParser } from 'sax';

/** Characters that the parser reads at once. What it has not finished is read again with each character, up to this many. */
const PIECE = 512;
/** `[CDATA[` and `DOCTYPE` have seven; no other declaration can be in a document. */
const MOST_OF_DECLARATION = 64;

/** What the parser of the pinned version keeps of a tag or a declaration that it has not finished. */
interface Unfinished {
  readonly sgmlDecl: string;
  readonly attribList: readonly unknown[];
}

/**
 * Gives the parser a text piece by piece. It compares each attribute of a tag with all before it, and reads a declaration of an unknown kind
 * again with each character: both take the square of their length, so both are bounded while they are read.
 * @param refuse throws, or notes the fault so that the caller stops
 */
export function* feedParser(parser: SAXParser, text: string, mostAttributes: number, refuse: () => void): Generator<void> {
  const { sgmlDecl, attribList } = parser as unknown as Partial<Unfinished>;
  if (typeof sgmlDecl !== 'string' || !Array.isArray(attribList)) throw new TypeError('This version of sax keeps its state elsewhere.');
  for (let from = 0; from < text.length; from += PIECE) {
    parser.write(text.slice(from, from + PIECE));
    const unfinished = parser as unknown as Unfinished;
    if (unfinished.sgmlDecl.length > MOST_OF_DECLARATION || unfinished.attribList.length > mostAttributes) refuse();
    yield;
  }
}
