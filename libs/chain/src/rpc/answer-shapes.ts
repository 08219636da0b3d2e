/** The fields that the service reads of each answer, as the execution API specifies them. */
export interface RawBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly logsBloom?: string | null;
  readonly transactions: readonly unknown[];
}

export interface RawLogAnswer {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly logIndex: string;
  readonly removed?: boolean;
}

export interface RawReceiptAnswer {
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly status: string;
  readonly logs: readonly RawLogAnswer[];
}

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value);

export const isQuantity = matches(/^0x[0-9a-f]{1,64}$/i);
export const isData = matches(/^0x(?:[0-9a-f]{2})*$/i);
export const isHash = matches(/^0x[0-9a-f]{64}$/i);
const isAddress = matches(/^0x[0-9a-f]{40}$/i);
const isBloom = matches(/^0x(?:[0-9a-f]{512})?$/i);

type Shape = Readonly<Record<string, (value: unknown) => boolean>>;

const optional =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || value === null || check(value);
const listOf =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(check);

function hasShape(shape: Shape): (value: unknown) => boolean {
  const fields = Object.entries(shape);
  return (value) =>
    typeof value === 'object' && value !== null && fields.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

export const blockShape = hasShape({
  number: isQuantity,
  hash: isHash,
  parentHash: isHash,
  timestamp: isQuantity,
  logsBloom: optional(isBloom),
  transactions: listOf((transaction) => isHash(transaction) || (typeof transaction === 'object' && transaction !== null)),
});

export const logShape = hasShape({
  address: isAddress,
  topics: listOf(isHash),
  data: isData,
  blockNumber: isQuantity,
  blockHash: isHash,
  transactionHash: isHash,
  transactionIndex: isQuantity,
  logIndex: isQuantity,
});

export const transactionShape = hasShape({
  hash: isHash,
  from: isAddress,
  to: optional(isAddress),
  nonce: isQuantity,
  input: isData,
  blockNumber: optional(isQuantity),
  blockHash: optional(isHash),
});

export const receiptShape = hasShape({
  transactionHash: isHash,
  transactionIndex: isQuantity,
  blockNumber: isQuantity,
  blockHash: isHash,
  from: isAddress,
  to: optional(isAddress),
  status: matches(/^0x[01]$/),
  gasUsed: isQuantity,
  logs: listOf(logShape),
});
