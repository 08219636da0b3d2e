import { type Problem, invalidContent } from '#kernel';
import { type GenericInput, namedArgs, storedMetadata } from './call-arguments.rules.js';

/** The process that a `recordEvent` names by its id. */
interface NamedProcess {
  readonly processType: string;
  readonly containmentMode: number;
  /** Null where the process makes no output. */
  readonly outputAssetType: string | null;
}

interface EventRequest {
  readonly processType: string;
  readonly inputTokenIds: readonly bigint[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

type Output = Readonly<Record<string, unknown>>;

/**
 * `recordEvent` as a request of events/prepare, so that both have one validation: `outputs[]` become `outputTlc`,
 * `metadata.quantity` and `metadata.coProducts`.
 * @throws DomainError 422 `invalid_content` where process or metadata contradict it
 */
export function eventRequest(input: GenericInput, process: NamedProcess): EventRequest {
  const [main, ...coProducts] = (input.outputs ?? []) as readonly Output[];
  const metadata = storedMetadata(input.metadata);
  const problems = [
    ...argumentProblems(input),
    ...modeProblems(input, process),
    ...(main ? outputProblems([main, ...coProducts], process, metadata) : []),
  ];
  if (problems.length > 0) throw invalidContent(problems);
  return {
    processType: process.processType,
    inputTokenIds: (input.inputTokenIds ?? []).map(BigInt),
    outputTlc: (main?.['tlc'] as string | undefined) ?? null,
    outputCustodian: (main?.['custodian'] as string | undefined) ?? null,
    metadata: {
      ...metadata,
      ...(main && namesIn(main)),
      ...(main && hasQuantity(main) && { quantity: quantityOf(main) }),
      ...(coProducts.length > 0 && { coProducts: coProducts.map(coProductOf) }),
    },
  };
}

/** A pointer into the request of events/prepare, as one into the request that it was made from. */
export function outputPointer(pointer: string, { outputs }: GenericInput): string {
  const all = (outputs ?? []) as readonly Output[];
  const [, top, name = '', index = '', ...rest] = pointer.split('/');
  const of = (i: number, member: string, inner?: string): string => `/outputs/${i}/${inner === 'uom' ? 'uom' : member}`;
  if (all.length === 0) return pointer;
  if (top === 'outputTlc') return of(0, 'tlc');
  if (top === 'outputCustodian') return of(0, 'custodian');
  if (top !== 'metadata') return pointer;
  if (name === 'coProducts' && all.length > 1 && index !== '')
    return rest[0] === undefined ? `/outputs/${Number(index) + 1}` : of(Number(index) + 1, rest[0], rest[1]);
  const isOfMain = name === 'quantity' ? hasQuantity(all[0]!) : (name === 'gtin' || name === 'serial') && all[0]![name] !== undefined;
  return isOfMain ? of(0, name, index) : pointer;
}

/** Every argument of recordEvent is a field, comes from the metadata or is created here. */
const argumentProblems = (input: GenericInput): Problem[] =>
  Object.keys(namedArgs(input.metadata)).map((name) => ({
    pointer: `/metadata/args/${name}`,
    code: 'unknown_argument',
    message: 'recordEvent takes no arguments by name: ids and hashes are created here, used quantities are in metadata.inputs[]',
  }));

function modeProblems({ containmentMode }: GenericInput, process: NamedProcess): Problem[] {
  if ((containmentMode ?? null) === null || containmentMode === process.containmentMode) return [];
  const message = `${process.processType} has the containment mode ${process.containmentMode}`;
  return [{ pointer: '/containmentMode', code: 'wrong_containment_mode', message }];
}

function outputProblems(outputs: readonly Output[], process: NamedProcess, metadata: EventRequest['metadata']): Problem[] {
  const problem = (pointer: string, code: string, message: string): Problem[] => [{ pointer, code, message }];
  const [main, ...coProducts] = outputs;
  return [
    ...(process.outputAssetType !== null && main!['assetType'] !== process.outputAssetType
      ? problem('/outputs/0/assetType', 'wrong_asset_type', `${process.processType} makes ${process.outputAssetType}`)
      : []),
    ...(hasQuantity(main!) && metadata['quantity'] !== undefined
      ? problem('/outputs/0/quantity', 'given_twice', 'the metadata states the quantity already')
      : []),
    ...(coProducts.length > 0 && metadata['coProducts'] !== undefined
      ? problem('/outputs/1', 'given_twice', 'the metadata lists the co-products already')
      : []),
    ...outputs.flatMap((output, i) => outputProblem(output, `/outputs/${i}`, main!)),
  ];
}

function outputProblem(output: Output, pointer: string, main: Output): Problem[] {
  const problems: Problem[] = [];
  if (hasQuantity(output) && typeof output['uom'] !== 'string')
    problems.push({ pointer: `${pointer}/uom`, code: 'required', message: 'a quantity needs its unit' });
  if (output['custodian'] !== main['custodian'])
    problems.push({ pointer: `${pointer}/custodian`, code: 'mixed_custody', message: 'the outputs of one event go to one custodian' });
  if ((output['expiresAt'] ?? null) !== null)
    problems.push({
      pointer: `${pointer}/expiresAt`,
      code: 'not_allowed',
      message: "the process map's expiry rule says when a lot expires",
    });
  return problems;
}

const hasQuantity = (output: Output): boolean => (output['quantity'] ?? null) !== null;
const quantityOf = ({ quantity, uom }: Output): object => ({ value: Number(quantity), uom });
/** GTIN and serial number, where they are given. */
const namesIn = ({ gtin, serial }: Output): object => ({ ...(gtin !== undefined && { gtin }), ...(serial !== undefined && { serial }) });
const coProductOf = (output: Output): object => ({
  assetType: output['assetType'],
  tlc: output['tlc'],
  ...namesIn(output),
  ...(hasQuantity(output) && { quantity: quantityOf(output) }),
});
