/**
 * Two questions of every failure: would trying again help, and whose fault is it? `RpcUnreachable`: the endpoint, try
 * again or elsewhere. `RpcRefused`: the node understood and said no; the same question gets the same answer.
 */
export class RpcUnreachable extends Error {
  constructor(
    readonly endpoint: string,
    readonly reason: 'timeout' | 'connection' | 'http' | 'rate_limited' | 'not_json_rpc' | 'busy',
    detail: string,
    /** What the endpoint asked for with Retry-After. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(`${endpoint}: ${detail}`);
  }
}

export class RpcRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
    /** Revert data of the contract where the node gives it. */
    readonly data: string | null,
  ) {
    super(message);
  }
}

/** The endpoint answers, but from a chain that is behind or that lost the block in question: another one may know better. */
export class RpcBehind extends Error {}

interface ErrorObject {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

const RATE_LIMIT = /rate.?limit|too many requests|request limit|capacity|throughput|compute units/i;
/** -32603 internal, -32002 resource unavailable, -32097/-32098 of hosted nodes: passing conditions of the node itself. */
const PASSING = new Set([-32603, -32002, -32097, -32098]);

/** Tells a JSON-RPC error object apart. Reverts and malformed requests are the caller's, limits and internal errors the node's. */
export function errorFrom(endpoint: string, error: ErrorObject): RpcRefused | RpcUnreachable {
  const code = typeof error.code === 'number' ? error.code : 0;
  const message = typeof error.message === 'string' ? error.message : JSON.stringify(error);
  const data = revertData(error.data);
  if (data === null && !isRangeLimit(message)) {
    if (code === 429 || RATE_LIMIT.test(message)) return new RpcUnreachable(endpoint, 'rate_limited', message);
    if (PASSING.has(code) && !/revert/i.test(message)) return new RpcUnreachable(endpoint, 'busy', `${code} ${message}`);
  }
  return new RpcRefused(code, message, data);
}

function revertData(data: unknown): string | null {
  if (typeof data === 'string') return /^0x([0-9a-f]{2})*$/i.test(data) ? data.toLowerCase() : null;
  if (data !== null && typeof data === 'object' && 'data' in data) return revertData(data.data);
  return null;
}

/**
 * Providers say "this range is too large" in many ways (evmconnect #9); what they share are these words. The remedy is
 * always the same, a smaller range, so a false alarm costs one more call.
 */
export const isRangeLimit = (message: string): boolean =>
  /(block|log|result|response|query|range).{0,40}(range|limit|exceed|too (large|many|big|wide)|maximum|more than|size)|query timeout|up to a \d+ block/i.test(
    message,
  );
