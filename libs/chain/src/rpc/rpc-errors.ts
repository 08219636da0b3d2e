import { type CallerFault, callerFault, type NodeError, revertData } from './caller-faults.js';

/** `error`: the node answers with an error that no caller has caused. `wrong_shape`: with a value that the method never has. */
export type NodeFault = 'timeout' | 'connection' | 'http' | 'rate_limited' | 'not_json_rpc' | 'error' | 'wrong_shape' | 'too_large';

/** The endpoint gave no usable answer: trying again, or with another endpoint, may help. */
export class RpcUnreachable extends Error {
  constructor(
    readonly endpoint: string,
    readonly reason: NodeFault,
    detail: string,
    /** From the endpoint's Retry-After header. */
    readonly retryAfterMs: number | null = null,
    /** The call that failed; null when it was the whole exchange. */
    readonly method: string | null = null,
  ) {
    super(`${endpoint}: ${detail}`);
  }
}

/** The node understood the call and refused it: the same call gets the same answer again. */
export class RpcRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** Revert data of the contract, if the node sends it. */
    readonly data: string | null,
    /** Null for an optional call that this node does not serve. */
    readonly fault: CallerFault | null = null,
  ) {
    super(message);
  }
}

/** The endpoint answers, but its chain is behind or misses the block in question: another endpoint may have it. */
export class RpcBehind extends Error {}

/** The endpoint contradicts the request, or another answer of its own. Nothing of it is believed, and another endpoint is asked. */
export class RpcLie extends Error {
  constructor(
    /** The name of the field, as in the answer. */
    readonly field: string,
    detail: string,
  ) {
    super(`the node contradicts itself in ${field}: ${detail}`);
  }
}

const RATE_LIMIT =
  /rate.?limit|too many requests|request (limit|rate|count)|capacity|throughput|compute units|credits limited|exceeded the (rps|quota)/i;

/** Classifies a JSON-RPC error: a short list is the caller's fault (caller-faults.ts), everything else the node's. */
export function errorFrom(endpoint: string, method: string, error: unknown): RpcRefused | RpcUnreachable {
  const read = readError(error);
  const { code, message } = read;
  const fault = callerFault(method, read);
  if (fault) return new RpcRefused(code, message, revertData(read.data), fault);
  const reason = code === 429 || RATE_LIMIT.test(message) ? 'rate_limited' : 'error';
  return new RpcUnreachable(endpoint, reason, `${method}: ${message} (${code})`, null, method);
}

/** Some gateways send a bare string instead of an error object. */
export function readError(error: unknown): NodeError {
  if (typeof error === 'string') return { code: 0, message: error, data: null };
  const { code, message, data } = error as { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
  return {
    code: typeof code === 'number' ? code : Number(code) || 0,
    message: typeof message === 'string' ? message : JSON.stringify(error),
    data: data ?? null,
  };
}
