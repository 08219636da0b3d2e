import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SETTINGS } from './settings.js';

export type Env = Readonly<Record<string, string | undefined>>;

export interface SettingFormat {
  readonly type: string;
  readonly fallback: string;
}

/** Reads settings by name and records the format of each; the reference is generated from that. */
export class Reader {
  readonly faults: string[] = [];
  /** The settings that were read, with type and default in the words of the reference. */
  readonly formats = new Map<string, SettingFormat>();
  constructor(private readonly env: Env) {}

  /** True also for an empty value, such as a list that is empty on purpose. */
  given(name: string): boolean {
    return this.env[name] !== undefined;
  }
  has(name: string): boolean {
    return (this.env[name] ?? '') !== '';
  }
  /** Null when it is not set. */
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
  /** `name=value,…` with percent-encoded values. An error does not contain the value, which may be a secret. */
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
      // Reported below.
    }
    this.faults.push(`${name} takes name=value, separated by commas, with values percent-encoded`);
    return {};
  }
  /** JSON: names, each with the numbers that differ from the defaults. A new name needs all numbers. */
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
      // Reported below.
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
  /** Null when it is not set. */
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
  keys(name: string): readonly Buffer[] {
    this.note(name, '32 bytes, base64, several separated by commas', '');
    if (!this.has(name)) return [];
    const keys = this.env[name]!.split(',').map((text) => Buffer.from(text, 'base64'));
    keys.forEach((key, at) => {
      if (key.length !== 32) this.faults.push(`${name} must be keys of 32 bytes in base64; key ${at + 1} has ${key.length}`);
    });
    return keys;
  }
  pems(name: string): readonly string[] {
    this.note(name, 'EC keys on P-256, PEM', '');
    const pems = this.env[name]!.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/g) ?? [];
    if (pems.length === 0) this.faults.push(`${name} contains no PEM private key`);
    pems.forEach((pem, at) => {
      if (!isP256(pem)) this.faults.push(`${name} takes EC keys on P-256; key ${at + 1} is not one`);
    });
    return pems;
  }
  private note(name: string, type: string, fallback: string): void {
    if (!this.formats.has(name)) this.formats.set(name, { type, fallback });
  }
}

function isP256(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

export type ReadFile = (path: string) => string;

/** Adds secrets that are given as files (`ENCRYPTION_KEY_FILE=/run/secrets/key`) to the environment, without a newline at the end. */
export function withSecretFiles(
  env: Env,
  readFile: ReadFile = (path) => readFileSync(path, 'utf8'),
): { readonly env: Env; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read: Record<string, string> = {};
  for (const [name, { secret }] of Object.entries(SETTINGS)) {
    const path = env[`${name}_FILE`];
    if (!secret || !path) continue;
    if (env[name]) faults.push(`${name} and ${name}_FILE are both set; set only one of them`);
    try {
      read[name] = readFile(path).replace(/\r?\n$/, '');
      if (read[name] === '') faults.push(`${name}_FILE is the path of an empty file`);
    } catch {
      faults.push(`${name}_FILE is ${path}, which cannot be read`);
    }
  }
  return { env: { ...env, ...read }, faults };
}
