/** A member by its name, or an item by its index. */
export type Step = string | number;

/** Why a text is no path to one element. */
export type PathFault = 'path_malformed' | 'path_not_singular';

/** Deeper paths lead nowhere: bodies have 32 levels. */
const MOST_STEPS = 64;
const QUERY = /^\$(\.\.|\.?\[?\*|\.\*|.*\[\s*(\?|\*|-?\d*\s*:|[^\]]*,))|\.\./;
const NAME = /^[A-Za-z_\u0080-\uD7FF\uE000-\u{10FFFF}][\w\u0080-\uD7FF\uE000-\u{10FFFF}]*/u;
/** RFC 9535 §2.3.1.1; a normalised path has single quotes (§2.7), other queries may have double ones. */
const QUOTED = /^\[\s*(?:'((?:[^'\\\p{Cc}]|\\.)*)'|"((?:[^"\\\p{Cc}]|\\.)*)")\s*\]/u;
const INDEX = /^\[\s*(0|[1-9]\d{0,8})\s*\]/;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
  ...{ "'": "'", '"': '"', '\\': '\\', '/': '/' },
};

/**
 * The steps of a normalised path of RFC 9535 (`$['a'][0]`). Other spellings that select at most one node are read too: EN 18222 has the
 * example `$.netWeight.value`.
 */
export function elementPath(text: string): readonly Step[] | PathFault {
  if (!text.startsWith('$')) return 'path_malformed';
  const steps: Step[] = [];
  for (let rest = text.slice(1); rest !== '';) {
    const [step, length] = stepOf(rest) ?? [];
    if (step === undefined || steps.length >= MOST_STEPS) return QUERY.test(unquoted(text)) ? 'path_not_singular' : 'path_malformed';
    steps.push(step);
    rest = rest.slice(length);
  }
  return steps.length === 0 ? 'path_not_singular' : steps;
}

function stepOf(rest: string): readonly [Step, number] | null {
  const name = rest.startsWith('.') ? NAME.exec(rest.slice(1)) : null;
  if (name) return [name[0], name[0].length + 1];
  const index = INDEX.exec(rest);
  if (index) return [Number(index[1]), index[0].length];
  const quoted = QUOTED.exec(rest);
  const plain = quoted && unescaped(quoted[1] ?? quoted[2]!);
  return quoted && plain !== null ? [plain, quoted[0].length] : null;
}

const unquoted = (text: string): string => text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''");

/** Null for an escape that RFC 9535 does not have. */
function unescaped(text: string): string | null {
  let isFaulty = false;
  const plain = text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, (_, code: string | undefined, mark: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    const plainMark = ESCAPES[mark!];
    isFaulty ||= plainMark === undefined;
    return plainMark ?? '';
  });
  return isFaulty ? null : plain;
}
