import type { Problem } from '#kernel';
import { hasCheckDigit, readKey, unescaped } from './gs1.js';
import { type Json, isObject } from './json.js';

/** A lot as a captured event names it. */
export interface CapturedLot {
  readonly code: string;
  /** Of its product, 14 digits; null where the name says nothing about it. */
  readonly gtin: string | null;
  readonly isContainer: boolean;
  /** Null: as much as there is. */
  readonly quantity: { readonly value: number; readonly uom: string | null } | null;
  readonly pointer: string;
}

/** One single thing counts as one piece (UNECE H87). */
const ONE_PIECE = { value: 1, uom: 'H87' };

/** Reads names of lots; what is none becomes a fault. @param tenant whose own names are known */
export class LotNames {
  readonly faults: Problem[] = [];

  constructor(private readonly tenant: string) {}

  /** Of a list of instances and of one of classes, in this order of writing: classes first, as quantities tell the most. */
  of(event: Json, at: string, epcs: string, quantities: string): CapturedLot[] {
    const classes = list(event[quantities]).map((item, i) => {
      const element = isObject(item) ? item : {};
      const [value, uom] = [element['quantity'], element['uom']];
      const quantity = typeof value === 'number' ? { value, uom: typeof uom === 'string' ? uom : null } : null;
      return this.read(element['epcClass'], `${at}/${quantities}/${i}`, quantity);
    });
    const instances = list(event[epcs]).map((epc, i) => this.read(epc, `${at}/${epcs}/${i}`, null));
    return [...classes, ...instances].filter((lot) => lot !== null);
  }

  read(uri: unknown, pointer: string, quantity: CapturedLot['quantity']): CapturedLot | null {
    if (typeof uri !== 'string') return null;
    const own = new RegExp(`^https?://[^/]+/id/${this.tenant}/lot/([^/?#]+)$`).exec(uri)?.[1];
    if (own !== undefined) return { code: unescaped(own), gtin: null, isContainer: false, quantity, pointer };
    const key = readKey(uri);
    if (!key)
      return this.fault(
        pointer,
        'no_lot_name',
        `${uri} names no lot: a GTIN with a lot or serial number, an SSCC, or a name of this service.`,
      );
    if ((key.key === '00' || key.key === '01') && !hasCheckDigit(key.value))
      return this.fault(pointer, 'bad_check_digit', `The check digit of ${key.value} is wrong.`);
    if (key.key === '00') return { code: key.value, gtin: null, isContainer: true, quantity, pointer };
    if (key.key !== '01' || key.part === null)
      return this.fault(pointer, 'no_lot_name', `${uri} names no single lot: a GTIN needs a lot or serial number.`);
    const one = key.finer === '10' ? quantity : (quantity ?? ONE_PIECE);
    return { code: key.part, gtin: key.value, isContainer: false, quantity: one, pointer };
  }

  private fault(pointer: string, code: string, message: string): null {
    this.faults.push({ pointer, code, message });
    return null;
  }
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
