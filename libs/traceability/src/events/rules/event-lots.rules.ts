import { LotKey, gtin14 } from '#kernel';
import { closest } from '../../process-maps/schemas/json-schema.js';
import {
  type Issue,
  fault,
  inMetadata,
  remark,
  type ValidationContext,
  type NamedLot,
  type InputLine,
  type Reading,
} from '../../process-maps/event-reading.js';
import type { Process } from '../../process-maps/process-map.js';
import type { EventSubmission } from '../../contract/preparation.js';

const MAX_CONTAINER_DEPTH = 8;
/** Limits of the contract: inputs of recordEvent, lots of a retire call. */
export const MAX_INPUTS = 500;
const MAX_RETIRED = 100;

/** An input as the event names it, with its lot and the line of `metadata.inputs` that says how much of it. */
export interface NamedInput {
  readonly tokenId: bigint;
  readonly pointer: string;
  readonly lot: NamedLot | null;
  readonly line: InputLine | null;
}

/** Each compares a code with those of all lots. */
const MAX_GUESSES = 20;

/** Joins `inputTokenIds` with `metadata.inputs[]`, whose lots are named by token id or TLC: both must be the same set. */
export function nameInputs(submission: EventSubmission, reading: Reading, lots: readonly NamedLot[], issues: Issue[]): NamedInput[] {
  const byId = new Map(lots.map((lot) => [lot.tokenId, lot]));
  const lines = new Map<bigint, InputLine>();
  const listed = new Set(submission.inputTokenIds);
  let guesses = MAX_GUESSES;
  for (const line of reading.inputs ?? []) {
    const named = line.tokenId === null ? lots.filter((lot) => bears(lot, line)) : [];
    const tokenId = line.tokenId === null ? named[0]?.tokenId : BigInt(line.tokenId);
    const at = inMetadata(line.pointer);
    if (named.length > 1) issues.push(ambiguous(`${at}/tlc`, line.tlc!, named));
    else if (tokenId === undefined)
      issues.push(
        fault(`${at}/tlc`, 'input_not_listed', `no lot ${line.tlc} is among inputTokenIds${guesses-- > 0 ? guess(line.tlc!, lots) : ''}`),
      );
    else if (line.tokenId !== null && line.tlc !== null && byId.has(tokenId) && !bears(byId.get(tokenId)!, line))
      issues.push(fault(`${at}/tlc`, 'input_mismatch', `lot ${tokenId} has the code ${byId.get(tokenId)!.key}`));
    else if (lines.has(tokenId)) issues.push(fault(at, 'duplicate_input', `names lot ${tokenId} again`));
    else if (listed.has(tokenId)) lines.set(tokenId, line);
    else issues.push(fault(at, 'input_not_listed', `lot ${tokenId} is not among inputTokenIds`));
  }
  return submission.inputTokenIds.map((tokenId, i) => {
    const pointer = `/inputTokenIds/${i}`;
    const line = lines.get(tokenId) ?? null;
    const lot = byId.get(tokenId) ?? null;
    if (submission.inputTokenIds.indexOf(tokenId) < i) issues.push(fault(pointer, 'duplicate_input', `names lot ${tokenId} again`));
    else if (lot === null) issues.push(fault(pointer, 'lot_not_found', `there is no lot ${tokenId}`));
    else if (reading.inputs && !line)
      issues.push(fault(pointer, 'input_without_line', `lot ${tokenId} (${lot.tlc}) is missing in metadata.inputs`));
    return { tokenId, pointer, lot, line };
  });
}

/** A code, with GTIN and serial number or without, or a Digital Link. */
function bears(lot: NamedLot, { tlc, gtin, serial }: InputLine): boolean {
  const key = LotKey.read(tlc!);
  if (key) return lot.key === key.text;
  return lot.tlc === tlc && (gtin === null || lot.gtin === gtin14(gtin)) && (serial === null || lot.serial === serial);
}

const ambiguous = (pointer: string, tlc: string, lots: readonly NamedLot[]): Issue =>
  fault(
    pointer,
    'tlc_ambiguous',
    `${tlc} is the code of several inputs: ${lots.map(({ tokenId, key }) => `${tokenId} (${key})`).join(', ')}; give tokenId, or gtin and serial`,
  );

function guess(tlc: string, lots: readonly NamedLot[]): string {
  const near = closest(
    tlc,
    lots.map((lot) => lot.tlc),
  );
  return near ? `; did you mean ${near}?` : '';
}

export function cardinalityIssues(process: Process, count: number): Issue[] {
  const { min, max } = process.inputs;
  const limit = Math.min(max ?? Infinity, process.kind === 'disposal' ? MAX_RETIRED : MAX_INPUTS);
  if (count < min) return [fault('/inputTokenIds', 'too_few_inputs', `needs at least ${min} input${min === 1 ? '' : 's'}, has ${count}`)];
  if (count > limit)
    return [fault('/inputTokenIds', 'too_many_inputs', limit === 0 ? 'takes no inputs' : `takes at most ${limit} inputs, has ${count}`)];
  return [];
}

/** Whether the process takes something out of its inputs or puts them somewhere, as opposed to saying something about them. */
export const touchesInputs = (process: Process): boolean =>
  process.kind !== 'observation' && process.kind !== 'transfer' && process.inputs.consumption !== 'none';

/** The graph rules for one input (docs/spec/domain.md#validation, #lot-status); only the first that fails is reported. */
export function inputIssues(
  process: Process,
  { lot, pointer }: NamedInput,
  context: ValidationContext,
  { eventTime, isReturn }: { readonly eventTime: Date; readonly isReturn: boolean },
): Issue[] {
  if (!lot) return [];
  return [
    ...kindOfLot(process, lot, pointer),
    ...(touchesInputs(process)
      ? stateForUse(process, lot, pointer, context, eventTime)
      : stateForSaying(lot, pointer, { moves: process.kind === 'transfer', isReturn })),
    ...custodyIssues(process, lot, pointer, context),
    ...(lot.mintBlock > context.finalBlock
      ? [fault(pointer, 'input_not_final', `lot ${lot.tokenId} (${lot.tlc}) is not final yet; wait for its confirmations`)]
      : []),
  ];
}

function kindOfLot(process: Process, lot: NamedLot, pointer: string): Issue[] {
  const allowed = process.inputs.assetTypes;
  if (!allowed.includes('*') && !(lot.assetType !== null && allowed.includes(lot.assetType)))
    return [
      fault(
        pointer,
        'asset_type_not_allowed',
        `lot ${lot.tlc} is ${lot.assetType ?? 'of an unknown type'}; this process takes ${allowed.join(', ') || 'nothing'}`,
      ),
    ];
  if (process.kind === 'disaggregation' && !lot.isContainer)
    return [fault(pointer, 'not_a_container', `lot ${lot.tlc} is not a container`)];
  if (lot.isContainer && touchesInputs(process) && !['aggregation', 'disaggregation', 'disposal'].includes(process.kind))
    return [fault(pointer, 'is_a_container', `lot ${lot.tlc} is a container; break it up first`)];
  if (process.kind === 'aggregation' && lot.depth + 1 > MAX_CONTAINER_DEPTH)
    return [fault(pointer, 'nested_too_deep', `containers nest ${MAX_CONTAINER_DEPTH} levels at most`)];
  return [];
}

function stateForUse(process: Process, lot: NamedLot, pointer: string, context: ValidationContext, eventTime: Date): Issue[] {
  const refuse = (code: string, why: string) => [fault(pointer, code, `lot ${lot.tlc} ${why}`)];
  const disposal = process.kind === 'disposal';
  const opening = process.kind === 'disaggregation';
  if (lot.status === 'retired') return refuse('lot_retired', 'is retired');
  if (lot.recalled && !disposal && !opening) return refuse('lot_recalled', 'is recalled');
  if (lot.status === 'consumed' || lot.remaining === 0n) return refuse('lot_consumed', 'is used up');
  if (lot.pendingCustodian !== null) return refuse('lot_in_transit', 'has an open offer; close the offer first');
  if (lot.containerTokenId !== null) return refuse('lot_contained', `is inside container ${lot.containerTokenId}; break that up first`);
  if (lot.holdsRecalled && !disposal && !opening) return refuse('holds_recalled', 'holds a recalled lot');
  if (lot.onHold && !disposal) return [onHold(lot, pointer)];
  if (lot.heldInside !== null && !disposal && !opening) return [onHold(lot, pointer)];
  return [...expiryIssues(lot, pointer, context, eventTime, disposal), ...affectedIssues(lot, pointer, context, disposal)];
}

function expiryIssues(lot: NamedLot, pointer: string, context: ValidationContext, eventTime: Date, disposal: boolean): Issue[] {
  if (disposal || lot.expiresAt === null || lot.expiresAt > eventTime) return [];
  const message = `lot ${lot.tlc} expired on ${lot.expiresAt.toISOString()}`;
  return [context.rules.blockExpired ? fault(pointer, 'input_expired', message) : remark(pointer, 'input_expired', message)];
}

function affectedIssues(lot: NamedLot, pointer: string, context: ValidationContext, disposal: boolean): Issue[] {
  if (disposal || !lot.recallAffected || lot.recalled) return [];
  const message = `lot ${lot.tlc} is affected by a recall`;
  return [context.rules.blockRecallAffected ? fault(pointer, 'recall_affected', message) : remark(pointer, 'recall_affected', message)];
}

const onHold = (lot: NamedLot, pointer: string): Issue =>
  fault(pointer, 'lot_on_hold', `lot ${lot.tlc} ${lot.onHold ? 'is on hold' : `holds lot ${lot.heldInside}, which is on hold`}`);

/**
 * An observation may concern any lot that ever existed; a late one gets a warning (docs/spec/api.md#events-and-transactions). A transfer moves the lot:
 * a recalled one only back (`metadata.recallReturn`), one on hold not at all (docs/spec/domain.md#lot-status).
 */
function stateForSaying(
  lot: NamedLot,
  pointer: string,
  { moves, isReturn }: { readonly moves: boolean; readonly isReturn: boolean },
): Issue[] {
  if (lot.status === 'retired' || lot.status === 'consumed')
    return [remark(pointer, 'late_observation', `lot ${lot.tlc} is ${lot.status === 'retired' ? 'retired' : 'used up'} already`)];
  if (lot.recalled && moves && !isReturn)
    return [fault(pointer, 'lot_recalled', `lot ${lot.tlc} is recalled; set metadata.recallReturn: true if it goes back`)];
  if (moves && (lot.onHold || lot.heldInside !== null)) return [onHold(lot, pointer)];
  return lot.recalled ? [remark(pointer, 'lot_recalled', `lot ${lot.tlc} is recalled`)] : [];
}

/**
 * The chain's rule: who uses a lot holds it. Another wallet of the same organisation may be approved on chain, which the
 * service cannot know; an observation or transfer needs the scope alone, unless its map says `sameCustodian`.
 */
function custodyIssues(process: Process, lot: NamedLot, pointer: string, { sender }: ValidationContext): Issue[] {
  if (sender.address === null || (!touchesInputs(process) && !process.inputs.sameCustodian)) return [];
  if (lot.custodian === sender.address) return [];
  if (process.kind === 'transfer' && lot.pendingCustodian === sender.address) return [];
  if (sender.colleagues.has(lot.custodian))
    return [
      remark(
        pointer,
        'held_by_colleague',
        `lot ${lot.tlc} is held by ${lot.custodian}, another wallet of your organisation: it must have approved yours on chain`,
      ),
    ];
  return [fault(pointer, 'not_custodian', `lot ${lot.tlc} is held by ${lot.custodian}, not by ${sender.address}`)];
}

export function mixedCustodyIssues(process: Process, inputs: readonly NamedInput[]): Issue[] {
  if (process.kind !== 'aggregation' && !process.inputs.sameCustodian) return [];
  const holder = inputs.find((input) => input.lot)?.lot?.custodian;
  const other = inputs.find((input) => input.lot && input.lot.custodian !== holder);
  return other ? [fault(other.pointer, 'mixed_custody', `lot ${other.lot!.tlc} is held by another than the first input`)] : [];
}
