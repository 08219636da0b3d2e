import { LotKey, gtin14, isSscc } from '#kernel';
import { type Issue, type Quantity, fault, remark } from '../../process-maps/event-reading.js';
import type { PublishedProcess } from '../../process-maps/process-map.js';

/** What a request says of the identity of a lot that it would mint, and where it says so. */
export interface Identity {
  readonly tlc: string;
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly assetType: string;
  readonly quantity: Quantity | null;
  readonly pointer: string;
  readonly gtinPointer: string;
  readonly serialPointer: string;
}

type Names = Pick<Identity, 'tlc' | 'gtin' | 'serial' | 'assetType'>;

const typeOf = ({ map }: PublishedProcess, key: string) =>
  Object.hasOwn(map.document.assetTypes, key) ? map.document.assetTypes[key] : undefined;

/** The GTIN is that of the request, else that of the asset type (docs/spec/domain.md#identifiers). */
export function identityOf(
  published: PublishedProcess,
  { tlc, gtin, serial, assetType }: Names,
): { readonly tlc: string; readonly gtin: string | null; readonly serial: string | null; readonly key: LotKey } {
  const type = typeOf(published, assetType);
  const product = gtin14(gtin ?? type?.gtin ?? '');
  return { tlc, gtin: product, serial, key: LotKey.of({ tlc, gtin: product, serial, isContainer: type?.category === 'container' }) };
}

/** Names that contradict each other. @param sscc `metadata.sscc` */
export function identityIssues(published: PublishedProcess, request: Identity, sscc: string | null): Issue[] {
  const { tlc, gtin, serial, pointer } = request;
  const type = typeOf(published, request.assetType);
  if (type?.category === 'container' && isSscc(tlc)) {
    const alone = 'an SSCC names a container by itself';
    return [
      ...(gtin === null ? [] : [fault(request.gtinPointer, 'sscc_with_gtin', `${alone}: it has no GTIN`)]),
      ...(serial === null ? [] : [fault(request.serialPointer, 'sscc_with_serial', `${alone}: it has no serial number`)]),
      ...(sscc === null || sscc === tlc ? [] : [fault(pointer, 'sscc_mismatch', `is not the SSCC of the metadata, ${sscc}`)]),
    ];
  }
  if (type?.category === 'container' && sscc !== null && isSscc(sscc) && pointer === '/outputTlc')
    return [fault(pointer, 'sscc_with_lot', `${alone(sscc)}: it has no lot number`)];
  return [...gtinIssues(published, request), ...serialIssues(published, request)];
}

const alone = (sscc: string): string => `the SSCC ${sscc} of the metadata names the container by itself`;

function gtinIssues(published: PublishedProcess, { gtin, assetType, gtinPointer, tlc, pointer }: Identity): Issue[] {
  const stated = gtin === null ? null : gtin14(gtin);
  if (stated === null) return [];
  const types = Object.entries(published.map.document.assetTypes);
  const own = typeOf(published, assetType)?.gtin;
  const other = types.find(([key, type]) => key !== assetType && type.gtin !== undefined && gtin14(type.gtin) === stated)?.[0];
  if (own !== undefined && gtin14(own) !== stated)
    return [
      fault(
        gtinPointer,
        'gtin_mismatch',
        `${stated} is ${other ? `the GTIN of ${other}` : 'not the GTIN of the map'}; ${assetType} has ${own}`,
      ),
    ];
  if (own === undefined && other !== undefined)
    return [fault(gtinPointer, 'gtin_mismatch', `${stated} is the GTIN of ${other}, not of ${assetType}`)];
  return tlc.length > 20
    ? [
        remark(
          pointer,
          'lot_number_too_long',
          'has more than the 20 characters of a GS1 lot number, so the lot is known by its code alone, without its GTIN',
        ),
      ]
    : [];
}

const COUNTED: ReadonlySet<string> = new Set(['H87', 'EA', 'C62', 'PCE', 'NAR']);

function serialIssues(published: PublishedProcess, { serial, gtin, assetType, quantity, serialPointer }: Identity): Issue[] {
  if (serial === null) return [];
  const { key } = identityOf(published, { tlc: 'X', gtin, serial, assetType });
  if (key.kind === 'own' || key.kind === 'lot')
    return [
      key.gtin === null
        ? fault(serialPointer, 'serial_without_gtin', 'a serial number needs the GTIN of its product, here or in the process map')
        : fault(serialPointer, 'bad_serial', 'must be 1 to 20 characters of GS1 character set 82'),
    ];
  return quantity !== null && COUNTED.has(quantity.uom) && quantity.value !== 1
    ? [fault(serialPointer, 'serial_of_several', `a serial number names one item, and the quantity is ${quantity.value} ${quantity.uom}`)]
    : [];
}

const E_MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/;
/** With its country, or in groups as people write it: digits alone may be any code. */
const PHONE = /^(\+\d[\d\s().-]{6,}|\(?0\d{1,4}\)?([ -]\d{2,4}){2,})$/;

/** Codes are in the clear, on chain and in the block, and nobody can erase them (docs/spec/domain.md#erasure). */
export function personalCodeIssues({ tlc, serial, pointer, serialPointer }: Identity): Issue[] {
  const places = [
    [tlc, pointer],
    [serial, serialPointer],
  ] as const;
  return places.flatMap(([code, place]) => {
    const like = code === null ? null : E_MAIL.test(code) ? 'an e-mail address' : PHONE.test(code) ? 'a phone number' : null;
    return like === null ? [] : [remark(place, 'looks_personal', `looks like ${like}: a code is public, and can never be erased`)];
  });
}
