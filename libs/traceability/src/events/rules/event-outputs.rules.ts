import { LotKey, ZERO_ADDRESS, isChecksumAddress, gs1CheckDigitHolds, lotLinkFault, readOwnLotUri } from '#kernel';
import type { EventSubmission } from '../../contract/preparation.js';
import {
  type ValidationContext,
  reservationOfKey,
  type CoProductLine,
  type Quantity,
  type Reading,
  placeOf,
  type Issue,
  fault,
  inMetadata,
  remark,
} from '../../process-maps/event-reading.js';
import type { NamedInput } from './event-lots.rules.js';
import type { Process, PublishedProcess } from '../../process-maps/process-map.js';
import { type Identity, identityIssues, personalCodeIssues, identityOf } from './output-identity.rules.js';
import { fitsPattern } from './tlc-template.rules.js';
import { OUT_OF_RANGE, convert } from './event-amounts.rules.js';

const MAX_OUTPUTS = 200;

/** A lot that the event would mint. */
export interface Output {
  readonly tlc: string;
  /** 14 digits. */
  readonly gtin: string | null;
  readonly serial: string | null;
  readonly key: LotKey;
  readonly assetType: string;
  readonly role: 'main' | 'co_product';
  readonly custodian: string;
  /** Millionths of `uom`; null = unmeasured, as containers are. */
  readonly quantity: bigint | null;
  readonly uom: string;
  readonly pointer: string;
  readonly expiresAt: Date | null;
}

interface OutputRequest extends Identity {
  readonly role: Output['role'];
  readonly custodian: string | null;
  readonly quantity: Quantity | null;
  readonly custodianPointer: string;
  readonly quantityPointer: string;
}

/** Expands the one `outputTlc` and `metadata.coProducts` into the outputs of one transaction, main output first. */
export function outputsOf(
  published: PublishedProcess,
  submission: EventSubmission,
  reading: Reading,
  context: ValidationContext,
  issues: Issue[],
): Output[] {
  const all = requestedOutputs(published, submission, reading, context, issues);
  issues.push(...countIssues(published, all));
  // Where there are too many, what is said about the first ones is enough.
  const requests = all.slice(0, MAX_OUTPUTS);
  issues.push(
    ...requests.flatMap((request) => identityIssues(published, request, reading.sscc)),
    ...requests.flatMap(personalCodeIssues),
    ...keyIssues(published, requests, context),
  );
  return requests.map((output) => ({
    ...identityOf(published, output),
    assetType: output.assetType,
    role: output.role,
    pointer: output.pointer,
    custodian: custodianOf(output, context, issues),
    ...measured(published, output, issues),
    expiresAt: null,
  }));
}

function requestedOutputs(
  { process }: PublishedProcess,
  submission: EventSubmission,
  reading: Reading,
  context: ValidationContext,
  issues: Issue[],
): OutputRequest[] {
  const { outputs } = process;
  if (outputs.max === 0) {
    if (submission.outputTlc !== null) issues.push(fault('/outputTlc', 'no_output_expected', 'this process makes no lot'));
    if (reading.coProducts.length > 0)
      issues.push(fault(inMetadata(placeOf(process, 'coProducts')), 'no_output_expected', 'this process makes no lot'));
    return [];
  }
  for (const [i, line] of reading.coProducts.entries())
    if (!outputs.coProducts?.includes(line.assetType))
      issues.push(
        fault(
          inMetadata(`${line.pointer}/assetType`),
          'asset_type_not_allowed',
          `co-product ${i + 1} is ${line.assetType}; this process makes ${outputs.coProducts?.join(', ') || 'none'}`,
        ),
      );
  return [...mainOutput(process, submission, reading, context), ...reading.coProducts.map((line) => coProduct(line, submission))];
}

function mainOutput(process: Process, submission: EventSubmission, reading: Reading, context: ValidationContext): OutputRequest[] {
  const tlc = submission.outputTlc ?? context.generated?.tlc ?? reading.serial;
  const { assetType } = process.outputs;
  if (tlc === null || assetType === undefined) return [];
  return [
    {
      tlc,
      gtin: reading.gtin,
      serial: reading.serial,
      assetType,
      role: 'main',
      custodian: submission.outputCustodian,
      quantity: process.containmentMode === 1 ? null : reading.quantity,
      pointer: '/outputTlc',
      gtinPointer: inMetadata(placeOf(process, 'gtin')),
      serialPointer: inMetadata(placeOf(process, 'serial')),
      custodianPointer: '/outputCustodian',
      quantityPointer: inMetadata(placeOf(process, 'quantity')),
    },
  ];
}

const coProduct = (line: CoProductLine, submission: EventSubmission): OutputRequest => ({
  tlc: line.tlc,
  gtin: line.gtin,
  serial: line.serial,
  assetType: line.assetType,
  role: 'co_product',
  custodian: line.custodian ?? submission.outputCustodian,
  quantity: line.quantity,
  pointer: inMetadata(`${line.pointer}/tlc`),
  gtinPointer: inMetadata(`${line.pointer}/gtin`),
  serialPointer: inMetadata(`${line.pointer}/serial`),
  custodianPointer: line.custodian === null ? '/outputCustodian' : inMetadata(`${line.pointer}/custodian`),
  quantityPointer: inMetadata(`${line.pointer}/quantity`),
});

function countIssues({ process }: PublishedProcess, requests: readonly OutputRequest[]): Issue[] {
  const { min, max } = process.outputs;
  const main = requests.some((output) => output.role === 'main');
  if (min > 0 && !main)
    return [fault('/outputTlc', 'required', 'is required: the process makes a lot, and no code can be made from its template')];
  if (requests.length < min) return [fault('/metadata', 'too_few_outputs', `makes at least ${min} lots, has ${requests.length}`)];
  if (requests.length > Math.min(max, MAX_OUTPUTS) && max > 0)
    return [fault('/metadata', 'too_many_outputs', `makes at most ${Math.min(max, MAX_OUTPUTS)} lots, has ${requests.length}`)];
  return [];
}

function keyIssues(published: PublishedProcess, requests: readonly OutputRequest[], context: ValidationContext): Issue[] {
  const seen = new Set<string>();
  return requests.flatMap((request) => {
    const { tlc, role, pointer } = request;
    const { text: key } = identityOf(published, request).key;
    const twice = seen.has(key);
    seen.add(key);
    const form = formIssue(published, tlc, role, pointer);
    if (form) return [form];
    if (twice) return [fault(pointer, 'duplicate_tlc', `${tlc} is used twice in this event`)];
    if (context.takenKeys.has(key))
      return [fault(pointer, 'tlc_taken', `${tlc} is the code of another lot${key === tlc ? '' : `, ${key}`}`)];
    return context.reservations.has(reservationOfKey(key))
      ? [remark(pointer, 'tlc_claimed', `another prepared event wants ${tlc} too; the first to land gets it`)]
      : [];
  });
}

function formIssue({ process, map }: PublishedProcess, tlc: string, role: Output['role'], pointer: string): Issue | null {
  if (!isTlc(tlc)) return fault(pointer, 'bad_tlc', 'must be 1 to 64 characters of GS1 character set 82');
  if (LotKey.read(tlc) !== null || lotLinkFault(tlc) !== null || readOwnLotUri(tlc) !== null)
    return fault(pointer, 'tlc_is_link', 'is the IRI of a lot: give the lot number here, and GTIN and serial number in the metadata');
  const pattern = role === 'main' ? process.tlc?.pattern : undefined;
  if (!fitsPattern(pattern, tlc)) return fault(pointer, 'tlc_pattern_mismatch', `must match ${pattern}`);
  const container = role === 'main' && map.document.assetTypes[process.outputs.assetType!]?.category === 'container';
  if (container && /^\d{18}$/.test(tlc) && !gs1CheckDigitHolds(tlc))
    return fault(pointer, 'wrong_check_digit', 'the check digit of the SSCC is wrong');
  return null;
}

function custodianOf(output: OutputRequest, { sender }: ValidationContext, issues: Issue[]): string {
  const custodian = output.custodian ?? sender.address;
  if (custodian === null) {
    issues.push(fault(output.custodianPointer, 'required', 'is required: you have no wallet that the lot could go to'));
    return ZERO_ADDRESS;
  }
  if (!isChecksumAddress(custodian) || custodian === ZERO_ADDRESS) {
    if (!issues.some((issue) => issue.pointer === output.custodianPointer))
      issues.push(fault(output.custodianPointer, 'bad_address', `${custodian} is not an address with its EIP-55 checksum`));
    return ZERO_ADDRESS;
  }
  if (sender.address !== null && custodian !== sender.address && !issues.some((issue) => issue.pointer === output.custodianPointer))
    issues.push(remark(output.custodianPointer, 'mint_to_other', `the lot goes to ${custodian} without offer and acceptance`));
  return custodian;
}

/** A lot's own unit is its asset type's where the stated one converts to it, else the stated one. */
function measured(
  { map }: PublishedProcess,
  output: OutputRequest,
  issues: Issue[],
): { readonly quantity: bigint | null; readonly uom: string } {
  const type = Object.hasOwn(map.document.assetTypes, output.assetType) ? map.document.assetTypes[output.assetType] : undefined;
  const { quantity } = output;
  if (quantity === null) {
    if (type && type.category !== 'container')
      issues.push(
        remark(
          output.quantityPointer,
          'lot_unmeasured',
          `${output.tlc} has no quantity: it can only be used whole and is left out of mass reports`,
        ),
      );
    return { quantity: null, uom: type?.uom ?? '' };
  }
  let uom = type?.uom ?? quantity.uom;
  let converted = convert(quantity, uom);
  if ('fault' in converted && converted.fault === 'unit_not_convertible') {
    issues.push(
      remark(
        `${output.quantityPointer}/uom`,
        'unit_not_convertible',
        `${quantity.uom} does not convert to ${uom}, the unit of ${output.assetType}`,
      ),
    );
    uom = quantity.uom;
    converted = convert(quantity, uom);
  }
  if ('micro' in converted) return { quantity: converted.micro, uom };
  issues.push(fault(`${output.quantityPointer}/value`, 'quantity_out_of_range', OUT_OF_RANGE));
  return { quantity: null, uom };
}

/** A container never moves its contents to somebody else (contract, MixedCustody). */
export function containerCustodyIssues({ process }: PublishedProcess, outputs: readonly Output[], inputs: readonly NamedInput[]): Issue[] {
  const holder = inputs.find((input) => input.lot)?.lot?.custodian;
  return process.containmentMode === 1 &&
    holder !== undefined &&
    outputs[0] &&
    outputs[0].custodian !== ZERO_ADDRESS &&
    outputs[0].custodian !== holder
    ? [fault('/outputCustodian', 'container_moves_contents', `the contents are held by ${holder}, so the container must be too`)]
    : [];
}

/** 1 to 64 characters of GS1 character set 82 (General Specifications, figure 7.11-1). */
const TLC = /^[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]{1,64}$/;
export const isTlc = (text: string): boolean => TLC.test(text);
