import type { Verdict } from './pointer.js';

/** Identifiers of other systems, by the key they have in metadata. */
export const EXT_KEYS = ['gtin', 'gln', 'sscc', 'lei', 'did'] as const;
export type ExtKey = (typeof EXT_KEYS)[number];

export interface ExtIdentifier {
  readonly key: ExtKey;
  readonly value: string;
}

const FORMS: Readonly<Record<ExtKey, RegExp>> = {
  gtin: /^(\d{8}|\d{12,14})$/,
  gln: /^\d{13}$/,
  sscc: /^\d{18}$/,
  lei: /^[A-Z0-9]{18}\d{2}$/,
  // W3C DID Core §3.1.
  did: /^did:[a-z0-9]+:(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2}|:)*[A-Za-z0-9._-]$/,
};

/**
 * Resolves when it has the form of its kind, matches when its check digits hold and, of an SSCC, no other container has it. Nothing is
 * looked up elsewhere.
 * @param digitsHold of an identifier with check digits
 * @param usedBy another event that packed a container under the same SSCC
 */
export function extLink({ key, value }: ExtIdentifier, digitsHold: boolean, usedBy: string | null): Verdict {
  const name = key.toUpperCase();
  if (!FORMS[key].test(value)) return { resolved: true, matches: false, detail: `${value} is no ${name}.` };
  if (!digitsHold) return { resolved: true, matches: false, detail: `The check digit of ${name} ${value} is wrong.` };
  if (usedBy !== null)
    return { resolved: true, matches: false, detail: `${name} ${value} is also that of another container, packed by event ${usedBy}.` };
  return { resolved: true, matches: true, detail: `${name} ${value} is well formed.` };
}

const MOST = 50;

/** Those in an event's metadata, wherever they stand; each once, fifty at most. */
export function identifiersIn(metadata: unknown): readonly ExtIdentifier[] {
  const found = new Map<string, ExtIdentifier>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 12 || found.size >= MOST) return;
    for (const [key, inner] of Object.entries(value)) {
      const known = EXT_KEYS.find((one) => one === key.toLowerCase());
      if (known !== undefined && typeof inner === 'string' && inner.length <= 200 && found.size < MOST)
        found.set(`${known}:${inner}`, { key: known, value: inner });
      else look(inner, depth + 1);
    }
  };
  look(metadata, 0);
  return [...found.values()];
}
