import { createPrivateKey } from 'node:crypto';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Asked {
  readonly type: string;
  readonly fallback: string;
}

/** Reads settings by name, and remembers what each takes: the reference is made from that. */
export class Reader {
  readonly faults: string[] = [];
  /** What was read, with its type and default as the reference words them. */
  readonly asked = new Map<string, Asked>();
  constructor(private readonly env: Env) {}

  /** An empty text counts, as in a list that is empty on purpose. */
  given(name: string): boolean {
    return this.env[name] !== undefined;
  }
  has(name: string): boolean {
    return (this.env[name] ?? '') !== '';
  }
  /** Null where it is not given. */
  optional(name: string): string | null {
    this.note(name, 'text', '');
    return this.has(name) ? this.env[name]! : null;
  }
  text(name: string, fallback: string): string {
    this.note(name, 'text', fallback);
    return this.has(name) ? this.env[name]! : fallback;
  }
  list(name: string): string[] {
    this.note(name, 'list, separated by commas', '');
    return (this.env[name] ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    this.note(name, allowed.map((one) => `\`${one}\``).join(', '), fallback);
    const value = this.text(name, fallback) as T;
    if (!allowed.includes(value)) this.faults.push(`${name} is "${value}"; it takes ${allowed.join(', ')}`);
    return value;
  }
  integer(name: string, fallback: number, min: number, max: number): number {
    this.note(name, `whole number, ${min} to ${max}`, String(fallback));
    const value = this.has(name) ? Number(this.env[name]) : fallback;
    if (!Number.isInteger(value) || value < min || value > max)
      this.faults.push(`${name} is "${this.env[name]}"; it takes a whole number from ${min} to ${max}`);
    return value;
  }
  integers(name: string, fallback: readonly number[], most: number): readonly number[] {
    this.note(name, 'whole numbers, separated by commas', fallback.join(','));
    const values = this.has(name) ? this.list(name).map(Number) : fallback;
    if (values.length > most) this.faults.push(`${name} takes ${most} numbers at most`);
    if (values.some((value) => !Number.isInteger(value) || value < 0)) this.faults.push(`${name} takes whole numbers separated by commas`);
    return values;
  }
  fraction(name: string, fallback: number): number {
    this.note(name, 'number, 0 to 1', String(fallback));
    const value = this.has(name) ? Number(this.env[name]) : fallback;
    if (!(value >= 0 && value <= 1)) this.faults.push(`${name} is "${this.env[name]}"; it takes a number from 0 to 1`);
    return value;
  }
  /** `name=value,…`, the values percent-encoded. A fault does not tell the text: it may be a secret. */
  pairs(name: string): Readonly<Record<string, string>> {
    this.note(name, 'list of `name=value`, separated by commas', '');
    const pairs = (this.env[name] ?? '')
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]*?)\s*$/.exec(pair));
    try {
      if (pairs.every((pair) => pair !== null))
        return Object.fromEntries(pairs.map(([, key, value]) => [key!, decodeURIComponent(value!)]));
    } catch {
      // Told below.
    }
    this.faults.push(`${name} takes name=value, separated by commas, with values percent-encoded`);
    return {};
  }
  /** JSON: a name, and whichever of its numbers differ from the given ones; a new name gives all of them. */
  numbersByName<T extends object>(name: string, defaults: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
    this.note(name, 'JSON', '');
    if (!this.has(name)) return defaults;
    const fields = Object.keys(Object.values(defaults)[0]!);
    try {
      const given = JSON.parse(this.env[name]!) as Record<string, Record<string, number>>;
      const merged = { ...defaults, ...Object.fromEntries(Object.entries(given).map(([key, own]) => [key, { ...defaults[key], ...own }])) };
      const whole = Object.values(merged).every(
        (row) =>
          Object.keys(row).every((field) => fields.includes(field)) &&
          fields.every(
            (field) => Number.isSafeInteger((row as Record<string, unknown>)[field]) && (row as Record<string, number>)[field]! >= 0,
          ),
      );
      if (whole) return merged as Record<string, T>;
    } catch {
      // Told below.
    }
    this.faults.push(`${name} takes a JSON object of names, each with the whole numbers ${fields.join(', ')}`);
    return defaults;
  }
  url(name: string, protocols: readonly string[]): string {
    this.note(name, `URL: ${protocols.join(' or ')}`, '');
    const value = this.env[name] ?? '';
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (!parsed || !protocols.includes(parsed.protocol))
      this.faults.push(`${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return value;
  }
  /** Null where it is not given. */
  optionalUrl(name: string, protocols: readonly string[]): string | null {
    this.note(name, `URL: ${protocols.join(' or ')}`, '');
    return this.has(name) ? this.url(name, protocols) : null;
  }
  key(name: string): Buffer | null {
    this.note(name, '32 bytes, base64', '');
    if (!this.has(name)) return null;
    const key = Buffer.from(this.env[name]!, 'base64');
    if (key.length !== 32) this.faults.push(`${name} must be 32 bytes in base64; it has ${key.length}`);
    return key;
  }
  pems(name: string): readonly string[] {
    this.note(name, 'EC keys on P-256, PEM', '');
    const pems = this.env[name]!.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/g) ?? [];
    if (pems.length === 0) this.faults.push(`${name} holds no PEM private key`);
    pems.forEach((pem, at) => {
      if (!isP256(pem)) this.faults.push(`${name} takes EC keys on P-256; key ${at + 1} is none`);
    });
    return pems;
  }
  private note(name: string, type: string, fallback: string): void {
    if (!this.asked.has(name)) this.asked.set(name, { type, fallback });
  }
}

function isP256(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
