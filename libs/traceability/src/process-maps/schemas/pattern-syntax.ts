/** Why an expression is not used: a stable code, and a sentence. */
export interface PatternFault {
  readonly code: 'bad_pattern' | 'pattern_not_linear' | 'pattern_not_supported' | 'schema_too_costly';
  readonly message: string;
}

/** RE2 counts to 1000. */
const MAX_REPEAT = 1000;
const SPACES = String.raw`\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NO_SPACES = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
const ANY = String.raw`\x{0}-\x{10ffff}`;
/** What the classes of ECMAScript hold, written inside brackets; only the spaces are others than RE2's. */
const SETS: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: SPACES,
  D: String.raw`\x{0}-\x{2f}\x{3a}-\x{10ffff}`,
  W: String.raw`\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}`,
  S: NO_SPACES,
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

class Refused extends Error {
  constructor(
    readonly code: PatternFault['code'],
    message: string,
  ) {
    super(message);
  }
}

/** Properties whose sets RE2 has under the same definition, by their long name in ECMAScript; unassigned code points are left out. */
const CATEGORIES: Readonly<Record<string, string>> = {
  ...{ L: 'Letter', Lu: 'Uppercase_Letter', Ll: 'Lowercase_Letter', Lt: 'Titlecase_Letter', Lm: 'Modifier_Letter', Lo: 'Other_Letter' },
  ...{ M: 'Mark', Mn: 'Nonspacing_Mark', Mc: 'Spacing_Mark', Me: 'Enclosing_Mark' },
  ...{ N: 'Number', Nd: 'Decimal_Number', Nl: 'Letter_Number', No: 'Other_Number' },
  ...{ P: 'Punctuation', Pc: 'Connector_Punctuation', Pd: 'Dash_Punctuation', Ps: 'Open_Punctuation', Pe: 'Close_Punctuation' },
  ...{ Pi: 'Initial_Punctuation', Pf: 'Final_Punctuation', Po: 'Other_Punctuation' },
  ...{ S: 'Symbol', Sm: 'Math_Symbol', Sc: 'Currency_Symbol', Sk: 'Modifier_Symbol', So: 'Other_Symbol' },
  ...{ Z: 'Separator', Zs: 'Space_Separator', Zl: 'Line_Separator', Zp: 'Paragraph_Separator', Cc: 'Control' },
};
const SCRIPTS = new Set(
  'Arabic,Armenian,Bengali,Cyrillic,Devanagari,Ethiopic,Georgian,Greek,Gujarati,Gurmukhi,Han,Hangul,Hebrew,Hiragana,Kannada,Katakana,Khmer,Lao,Latin,Malayalam,Mongolian,Myanmar,Sinhala,Tamil,Telugu,Thaana,Thai,Tibetan'.split(
    ',',
  ),
);

function propertyName(text: string): string {
  const [key, value = ''] = text.split('=', 2) as [string, string?];
  const category = value === '' ? key : ['gc', 'General_Category'].includes(key) ? value : '';
  const short = Object.keys(CATEGORIES).find((name) => name === category || CATEGORIES[name] === category);
  if (short !== undefined) return short;
  if (['sc', 'Script'].includes(key) && SCRIPTS.has(value)) return value;
  throw new Refused(
    'pattern_not_supported',
    String.raw`\p{${text}} is not supported; general categories such as \p{Lu} and scripts such as \p{Script=Thai} are`,
  );
}

/**
 * Rewrites an ECMAScript expression (flag `u`) as one that RE2 reads with the same meaning, or refuses it by name: what needs backtracking
 * (look-around, back-references), and what RE2 has no equal of.
 */
class Translator {
  private at = 0;
  private readonly points: readonly string[];

  constructor(source: string) {
    this.points = Array.from(source);
  }

  translate(): string {
    let out = '';
    while (this.at < this.points.length) out += this.term(this.points[this.at++]!);
    return out;
  }

  private term(point: string): string {
    switch (point) {
      case '\\':
        return this.escape();
      case '[':
        return this.charClass();
      case '(':
        return this.group();
      case '{':
        return this.counted();
      case '^':
        return String.raw`\A`;
      case '$':
        return String.raw`\z`;
      case '.':
        return String.raw`[^\n\r\x{2028}\x{2029}]`;
      case '*':
      case '+':
      case '?':
        this.skip('?'); // Lazy or not: whether there is a match is the same.
        return point;
      case ')':
      case '|':
        return point;
      default:
        return literal(point.codePointAt(0)!);
    }
  }

  private skip(point: string): boolean {
    if (this.points[this.at] !== point) return false;
    this.at++;
    return true;
  }

  private until(end: string): string {
    const from = this.at;
    while (this.points[this.at] !== end) this.at++;
    return this.points.slice(from, this.at++).join('');
  }

  private group(): string {
    if (!this.skip('?') || this.skip(':')) return '(?:';
    const isAssertion = this.skip('=') || this.skip('!');
    if (!isAssertion && this.skip('<')) {
      if (this.points[this.at] !== '=' && this.points[this.at] !== '!') {
        this.until('>');
        return '(?:';
      }
    } else if (!isAssertion) throw new Refused('pattern_not_supported', 'flags inside an expression are not supported');
    throw new Refused('pattern_not_linear', 'looks ahead or behind, which takes more than one pass over the text');
  }

  private counted(): string {
    const [from, to] = this.until('}').split(',') as [string, string?];
    this.skip('?');
    if (Math.max(Number(from), Number(to ?? 0)) > MAX_REPEAT)
      throw new Refused('schema_too_costly', `repeats more than ${MAX_REPEAT} times`);
    return `{${Number(from)}${to === undefined ? '' : `,${to === '' ? '' : Number(to)}`}}`;
  }

  private escape(): string {
    const point = this.points[this.at]!;
    if (/[1-9k]/.test(point))
      throw new Refused('pattern_not_linear', 'refers back to a group, which takes more than one pass over the text');
    if (point === 'b' || point === 'B') {
      this.at++;
      return `\\${point}`;
    }
    const set = this.set();
    return set === null ? literal(this.codePoint()) : `[${set}]`;
  }

  /** `\d`, `\s`, `\p{…}` and their opposites, as they are written inside brackets; null for anything else. */
  private set(): string | null {
    const point = this.points[this.at]!;
    if (point in SETS) {
      this.at++;
      return SETS[point]!;
    }
    if (point !== 'p' && point !== 'P') return null;
    this.at += 2;
    return `\\${point}{${propertyName(this.until('}'))}}`;
  }

  /** Of an escape that names one character, after its backslash. */
  private codePoint(): number {
    const point = this.points[this.at++]!;
    if (Object.hasOwn(CONTROLS, point)) return CONTROLS[point]!;
    if (point === 'c') return this.points[this.at++]!.codePointAt(0)! % 32;
    if (point === 'x') return this.hex(2);
    if (point !== 'u') return point.codePointAt(0)!;
    if (this.skip('{')) return Number.parseInt(this.until('}'), 16);
    const high = this.hex(4);
    if (high < 0xd800 || high > 0xdbff || this.points[this.at] !== '\\' || this.points[this.at + 1] !== 'u') return high;
    const before = this.at;
    this.at += 2;
    const low = this.points[this.at] === '{' ? 0 : this.hex(4);
    if (low >= 0xdc00 && low <= 0xdfff) return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
    this.at = before;
    return high;
  }

  private hex(digits: number): number {
    this.at += digits;
    return Number.parseInt(this.points.slice(this.at - digits, this.at).join(''), 16);
  }

  private charClass(): string {
    const negated = this.skip('^');
    let items = '';
    while (!this.skip(']')) {
      const first = this.classAtom();
      if (typeof first === 'string') {
        items += first;
        continue;
      }
      const isRange = this.points[this.at] === '-' && this.points[this.at + 1] !== ']';
      if (isRange) this.at++;
      items += isRange ? `${inClass(first)}-${inClass(this.classAtom() as number)}` : inClass(first);
    }
    if (items === '') return negated ? `[${ANY}]` : `[^${ANY}]`;
    return `[${negated ? '^' : ''}${items}]`;
  }

  /** A set, or the code point of one character. */
  private classAtom(): string | number {
    const point = this.points[this.at++]!;
    if (point !== '\\') return point.codePointAt(0)!;
    if (this.skip('b')) return 8;
    return this.set() ?? this.codePoint();
  }
}

const inClass = (code: number): string => {
  if (code >= 0xd800 && code <= 0xdfff) throw new Refused('pattern_not_supported', 'names half of a surrogate pair, which is no character');
  return String.raw`\x{${code.toString(16)}}`;
};

const literal = (code: number): string => (/[\w -]/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : inClass(code));

/** The same expression in RE2's syntax, or why there is none. */
export function toRe2(source: string): string | PatternFault {
  try {
    RegExp(source, 'u');
  } catch {
    return { code: 'bad_pattern', message: `${source} is not a regular expression` };
  }
  try {
    return new Translator(source).translate();
  } catch (error) {
    if (error instanceof Refused) return { code: error.code, message: `${source} ${error.message}` };
    throw error;
  }
}
