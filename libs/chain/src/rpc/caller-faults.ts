/** Why the node refuses a call by the caller's own fault: the same call gets the same answer from every node. */
export type CallerFault =
  /** The call reverts, or the EVM stops it. */
  | 'revert'
  /** No chain would take the transaction: funds, nonce, gas. */
  | 'transaction'
  /** An argument has the wrong form. */
  | 'parameters'
  /** The logs of fewer blocks must be requested. */
  | 'range';

export interface NodeError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

/** Only these run what a caller sends. The service makes the parameters of all other methods itself. */
const EXECUTING = new Set(['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'eth_sendRawTransaction']);

/** Codes tell little: -32000 is a revert, a missing block and a missing key; -32008 is a revert here and a first synchronisation there. */
const REVERT_CODE = 3;
const INVALID_PARAMETERS_CODE = -32_602;

/** The EVM ran the call and stopped it. */
const REVERTS: readonly RegExp[] = [
  /\brevert(ed)?\b/i,
  /\bout ?of ?gas\b/i,
  /\b(invalid opcode|invalid ?feopcode|bad instruction|(bad|invalid) jump|write protection)\b/i,
  /\b(stack (limit reached|underflow|overflow)|out of stack|max (init)?code size exceeded)/i,
  /^vm (execution error|exception)\b/i,
  // anvil: the name of the fault in one word; `EVM error database error` would be the node's own.
  /^EVM error;? [A-Z]\w+$/,
  /^transaction processing could not be completed due to an exception/i,
];

/** The transaction itself is not valid, on any node. */
const INVALID_TRANSACTION: readonly RegExp[] = [
  /\binsufficient (funds for|sender balance|balance for|maxfeepergas for)/i,
  /\b(doesn't|does not) have enough funds/i,
  /\bupfront cost exceeds\b/i,
  /\bnonce (is )?too (low|high|distant)/i,
  /\bnonce has already been used/i,
  /\bnonce is too distant/i,
  /\b(replacement )?transaction underpriced/i,
  /\b(already known|known transaction|already imported)\b/i,
  /\bintrinsic gas\b/i,
  /\bgas required exceeds\b/i,
  /\bgas limit (is too high|exceeds)|\bexceeds block gas limit/i,
  /\b(max ?fee ?per ?gas|gas price|fee cap)\b.*\b(less than|below|lower than)\b/i,
  /\bmax priority fee per gas (higher|exceeds)|\btip (above|higher)/i,
  /\b(sender (is )?not an eoa|invalid sender|invalid (transaction )?signature|oversized data)/i,
];

const INVALID_PARAMETERS =
  /\b(invalid (argument|params?|parameters?|call params|address|string length|hex)|missing value for required|odd length|hex string)/i;

/** Providers report "this range is too large" in many ways (evmconnect #9); these words are common to them. */
const RANGE =
  /(block|log|result|response|query|range).{0,40}(range|limit|exceed|too (large|many|big|wide)|maximum|more than|at most|distance|size)|query timeout|too many blocks|ranges over/i;

/** Null: the node's own fault. Only what is certain counts as the caller's: another node may answer everything else. */
export function callerFault(method: string, error: NodeError): CallerFault | null {
  if (method === 'eth_getLogs') return RANGE.test(error.message) ? 'range' : null;
  if (!EXECUTING.has(method)) return null;
  if (error.code === REVERT_CODE || (revertData(error.data)?.length ?? 0) > 2) return 'revert';
  // Older nodes say in the data what happened: `Reverted 0x…`, `Bad instruction fe`.
  const texts = [error.message, ...(typeof error.data === 'string' ? [error.data] : [])];
  const says = (faults: readonly RegExp[]): boolean => texts.some((text) => faults.some((fault) => fault.test(text)));
  if (says(REVERTS)) return 'revert';
  if (says(INVALID_TRANSACTION)) return 'transaction';
  return error.code === INVALID_PARAMETERS_CODE && INVALID_PARAMETERS.test(error.message) ? 'parameters' : null;
}

/** What a contract returned as its revert, as the nodes wrap it: bare, behind a word, or inside another object. */
export function revertData(data: unknown): string | null {
  if (typeof data === 'string') return /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1]?.toLowerCase() ?? null;
  if (data === null || typeof data !== 'object') return null;
  const { data: inner, originalError } = data as { readonly data?: unknown; readonly originalError?: unknown };
  return revertData(inner) ?? revertData(originalError);
}
