import { LotKey, type Problem, lotLinkFault, readOwnLotUri, textFaults } from '#kernel';
import { BIZ_STEP, DISPOSITION, wordOf } from '../epcis/cbv.js';
import { hasCheckDigit, readKey } from '../epcis/identifiers.js';
import { type Json, isObject, listIn, textAt } from '../epcis/json.js';
import { trc } from '../epcis/terms.js';

/** A lot as a captured event names it. */
export interface CapturedItem {
  /** Its lot number; of an item without one its serial number. */
  readonly code: string;
  /** Of its product, 14 digits; null where the name says nothing about it. */
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly key: LotKey;
  readonly isContainer: boolean;
  /** Null: as much as there is. */
  readonly quantity: { readonly value: number; readonly uom: string | null } | null;
  readonly pointer: string;
}

/** A lot or an item by the names of the Global Dialogue on Seafood Traceability, for companies without a GS1 prefix: a code of their own. */
const GDST_LOT = /^urn:gdst:[^:\s]+:product:(?:lot:class|serial:obj):[^.\s]+\.\S+$/;

/** One single thing counts as one piece (UNECE H87). */
const ONE_PIECE = { value: 1, uom: 'H87' };

/** Reads names of lots; a name of something else becomes a fault. @param tenant whose own names are known */
export class NameReader {
  readonly faults: Problem[] = [];

  constructor(private readonly tenant: string) {}

  /** The lots of a list of classes and of a list of instances: classes first, since they have quantities. */
  of(event: Json, at: string, epcs: string, quantities: string): CapturedItem[] {
    const classes = listIn(event[quantities]).map((item, i) => {
      const element = isObject(item) ? item : {};
      const [value, uom] = [element['quantity'], element['uom']];
      const quantity = typeof value === 'number' ? { value, uom: typeof uom === 'string' ? uom : null } : null;
      return this.read(element['epcClass'], `${at}/${quantities}/${i}`, quantity);
    });
    const instances = listIn(event[epcs]).map((epc, i) => this.read(epc, `${at}/${epcs}/${i}`, null));
    return [...classes, ...instances].filter((lot) => lot !== null);
  }

  read(uri: unknown, pointer: string, quantity: CapturedItem['quantity']): CapturedItem | null {
    const item = this.named(uri, pointer, quantity);
    // An escape of the name may have hidden a character that no text can have.
    const faults = item === null ? [] : textFaults(item.code, pointer);
    this.faults.push(...faults);
    return faults.length > 0 ? null : item;
  }

  private named(uri: unknown, pointer: string, quantity: CapturedItem['quantity']): CapturedItem | null {
    if (typeof uri !== 'string') return null;
    const own = readOwnLotUri(uri);
    if (own?.tenant === this.tenant) return itemOf({ code: own.code, isContainer: false, quantity, pointer });
    if (GDST_LOT.test(uri)) return itemOf({ code: uri, isContainer: false, quantity, pointer });
    const key = readKey(uri);
    if (!key)
      return this.fault(
        pointer,
        'no_lot_name',
        `${uri} does not name a lot: use a GTIN with a lot or serial number, an SSCC, or a lot name of this service.`,
      );
    if ((key.key === '00' || key.key === '01') && !hasCheckDigit(key.value))
      return this.fault(pointer, 'bad_check_digit', `The check digit of ${key.value} is wrong.`);
    const fault = uri.startsWith('urn:') ? null : lotLinkFault(uri);
    if (fault?.code === 'sscc_with_lot') return this.fault(pointer, fault.code, fault.message);
    if (key.key === '00') return itemOf({ code: key.value, isContainer: true, quantity, pointer });
    if (key.key !== '01' || key.part === null)
      return this.fault(pointer, 'no_lot_name', `${uri} does not name a single lot: a GTIN needs a lot or serial number.`);
    const serial = key.finer === '10' ? null : key.part;
    const one = serial === null ? quantity : (quantity ?? ONE_PIECE);
    return itemOf({ code: key.lot ?? key.part, gtin: key.value, serial, isContainer: false, quantity: one, pointer });
  }

  private fault(pointer: string, code: string, message: string): null {
    this.faults.push({ pointer, code, message });
    return null;
  }
}

const itemOf = ({
  gtin = null,
  serial = null,
  ...item
}: Omit<CapturedItem, 'key' | 'gtin' | 'serial'> & { gtin?: string | null; serial?: string | null }): CapturedItem => ({
  ...item,
  gtin,
  serial,
  key: LotKey.of({ tlc: item.code, gtin, serial, isContainer: item.isContainer }),
});

/** A process of the tenant's maps, as far as capture chooses by it. */
export interface KnownProcess {
  readonly processType: string;
  readonly mapName: string;
  readonly epcis: { readonly type: string; readonly action?: string; readonly bizStep: string; readonly disposition: string };
  readonly inputAssetTypes: readonly string[];
  readonly outputAssetType: string | null;
  readonly coProducts: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** GTIN of 14 digits to asset type, over the whole map. */
  readonly gtins: ReadonlyMap<string, string>;
}

/** A lot that has landed. */
export interface KnownLot {
  readonly tokenId: bigint;
  readonly code: string;
  /** Text of its key. */
  readonly key: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly assetType: string | null;
}

/** Landed lots that the events of a document may mean. */
export class KnownLots {
  private readonly byKey = new Map<string, KnownLot[]>();
  private readonly byCode = new Map<string, KnownLot[]>();

  constructor(lots: readonly KnownLot[]) {
    for (const lot of lots) {
      this.byKey.set(lot.key, [...(this.byKey.get(lot.key) ?? []), lot]);
      this.byCode.set(lot.code, [...(this.byCode.get(lot.code) ?? []), lot]);
    }
  }

  /** The lot of its key, or several parts of it, else those that may be meant: of a name without a GTIN every lot with the code, of one with a GTIN those whose own is unknown. */
  meant({ key, code, serial, gtin }: CapturedItem): readonly KnownLot[] {
    const known = key.kind === 'own' ? undefined : this.byKey.get(key.text);
    if (known) return known;
    if (key.kind === 'item') return (this.byCode.get(serial!) ?? []).filter((lot) => lot.gtin === null || lot.gtin === gtin);
    return (this.byCode.get(code) ?? []).filter(
      (lot) => key.kind !== 'lot' || lot.gtin === null || (lot.gtin === gtin && lot.serial === null),
    );
  }

  /** A lot with the same number, of another product. */
  ofOtherProduct({ code, gtin }: CapturedItem): KnownLot | undefined {
    return gtin === null ? undefined : this.byCode.get(code)?.find((lot) => lot.gtin !== gtin);
  }
}

export interface Goods {
  readonly inputs: readonly CapturedItem[];
  readonly outputs: readonly CapturedItem[];
}

/** The process of an event: by type, action and bizStep; where several fit, by disposition and by what goes in and comes out. */
export function chooseProcess(
  event: Json,
  at: string,
  goods: Goods,
  processes: readonly KnownProcess[],
  lots: KnownLots,
): KnownProcess | Problem {
  const named = textAt(event, trc('processType'));
  if (named !== null)
    return (
      processes.find(({ processType }) => processType === named) ?? {
        pointer: `${at}/${trc('processType')}`,
        code: 'process_missing',
        message: `Your process maps have no process ${named}.`,
      }
    );
  const pointer = `${at}/bizStep`;
  const stated = textAt(event, 'bizStep');
  if (stated === null) return { pointer, code: 'required', message: 'bizStep is required: it says which process this was.' };
  const [bizStep, type, action] = [wordOf(BIZ_STEP, stated), event['type'], event['action']];
  const fitting = processes.filter(
    ({ epcis }) => epcis.type === type && epcis.bizStep === bizStep && (epcis.action === undefined || epcis.action === action),
  );
  const disposition = textAt(event, 'disposition');
  const description = `${String(type)}${typeof action === 'string' ? ` ${action}` : ''} with bizStep ${bizStep}`;
  if (fitting.length === 0) return { pointer, code: 'process_missing', message: noProcess(description, disposition) };
  const uses = usesOf(event, goods, lots);
  const left = [
    ({ epcis }: KnownProcess) => disposition === null || epcis.disposition === wordOf(DISPOSITION, disposition),
    uses.makes,
    uses.takes,
  ].reduce((all, fits) => (all.some(fits) ? all.filter(fits) : all), fitting);
  if (left.length === 1) return left[0]!;
  const names = left.map(({ processType }) => processType).join(', ');
  return { pointer, code: 'process_ambiguous', message: `Several processes fit (${description}): ${names}. Name one in trc:processType.` };
}

const noProcess = (description: string, disposition: string | null): string =>
  `No process of your maps fits (${description}${disposition === null ? '' : `, disposition ${wordOf(DISPOSITION, disposition)}`}). Publish one, or name one of yours in trc:processType.`;

/** What an event makes and takes, read once however many processes are compared with it. */
function usesOf(event: Json, { inputs, outputs }: Goods, lots: KnownLots) {
  const stated = textAt(event['ilmd'], trc('assetType'));
  /** Asset types of the outputs in one map. */
  const made = new Map<KnownProcess['gtins'], ReadonlySet<string>>();
  const madeIn = (gtins: KnownProcess['gtins']): ReadonlySet<string> => {
    const known = made.get(gtins) ?? new Set(outputs.flatMap(({ gtin }) => (gtin === null ? [] : (gtins.get(gtin) ?? []))));
    made.set(gtins, known);
    return known;
  };
  const taken = [...new Set(inputs.flatMap((item) => lots.meant(item)[0]?.assetType ?? []))];
  return {
    makes: ({ outputAssetType, gtins }: KnownProcess): boolean =>
      stated === null ? outputAssetType !== null && madeIn(gtins).has(outputAssetType) : outputAssetType === stated,
    takes: ({ inputAssetTypes }: KnownProcess): boolean => taken.length > 0 && taken.every((type) => inputAssetTypes.includes(type)),
  };
}

/** @param index of the event in its document */
export function unknownInputs(
  { inputs }: Goods,
  { lots, made }: { readonly lots: KnownLots; readonly made: ReadonlyMap<string, number> },
  index: number,
): Problem[] {
  const seen = new Set<bigint>();
  return inputs.flatMap((item): Problem[] => {
    const { code, gtin, pointer, key } = item;
    const [lot, ...others] = lots.meant(item);
    if (lot === undefined) {
      const maker = made.get(key.text);
      if (maker !== undefined && maker !== index) return [{ pointer, code: 'lot_not_landed', message: notLanded(code, maker) }];
      const other = lots.ofOtherProduct(item);
      if (other) return [{ pointer, code: 'other_product', message: `Lot ${code} is of GTIN ${other.gtin}, not ${gtin}.` }];
      return [{ pointer, code: 'lot_not_found', message: `No lot ${code} has landed; an event can only use lots that have landed.` }];
    }
    if (others.length > 0) return [{ pointer, code: 'tlc_ambiguous', message: ambiguous(code, [lot, ...others]) }];
    if (seen.has(lot.tokenId)) return [{ pointer, code: 'repeated', message: `Lot ${code} is named twice.` }];
    seen.add(lot.tokenId);
    return [];
  });
}

const ambiguous = (code: string, lots: readonly KnownLot[]): string =>
  lots.every(({ key }) => key === lots[0]!.key)
    ? `${code} is the code of the parts ${lots.map(({ tokenId }) => tokenId).join(' and ')} of one lot: prepare the event by token id instead.`
    : `${code} is the code of several lots: name one by its key, ${lots.map(({ key }) => key).join(' or ')}.`;

/** The chain numbers lots when they land, and an event names its inputs by number. */
const notLanded = (code: string, maker: number): string =>
  `Lot ${code} is made by event ${maker} of this document and has no number on chain until that event has landed. Send the transaction of event ${maker}, then capture this event again.`;
