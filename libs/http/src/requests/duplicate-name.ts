import { escapePointer } from '#kernel';

const QUOTE = 34;
const COMMA = 44;
const BRACKET = 91;
const BRACKET_END = 93;
const BRACE = 123;
const BRACE_END = 125;

/** An open object with the names seen in it, or an open array (`names` null). */
interface Open {
  readonly names: Set<string> | null;
  place: string | number;
  expectsName: boolean;
}

/**
 * The pointer of the first member whose name its object has already, or null. JSON.parse keeps the last of them, other parsers the
 * first: what is hashed and signed must read the same everywhere (RFC 8785 asks for I-JSON, RFC 7493 §2.3).
 * @param text well-formed JSON, so that only its skeleton has to be followed
 */
export function duplicateName(text: string): string | null {
  const open: Open[] = [];
  let here: Open | undefined;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = endOfText(text, i);
        if (here?.expectsName) {
          const name = nameIn(text.slice(i + 1, end));
          here.place = name;
          here.expectsName = false;
          if (here.names!.has(name)) return open.map(({ place }) => `/${escapePointer(String(place))}`).join('');
          here.names!.add(name);
        }
        i = end;
        break;
      }
      case BRACE:
        open.push((here = { names: new Set(), place: '', expectsName: true }));
        break;
      case BRACKET:
        open.push((here = { names: null, place: 0, expectsName: false }));
        break;
      case BRACE_END:
      case BRACKET_END:
        open.pop();
        here = open.at(-1);
        break;
      case COMMA:
        if (here!.names) here!.expectsName = true;
        else here!.place = Number(here!.place) + 1;
        break;
      default:
    }
  }
  return null;
}

/** The closing quote: the next one that is not escaped. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Two spellings of one name are the same name. */
const nameIn = (raw: string): string => (raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw);
