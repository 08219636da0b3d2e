/** A plain JSON-RPC call to an EVM node. @throws RpcError with the node's code and revert data */
export class Rpc {
  private id = 0;
  constructor(readonly url: string) {}

  async call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.id, method, params }),
      signal: AbortSignal.timeout(30_000),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string; data?: unknown } };
    if (error) throw new RpcError(method, error.code, error.message, error.data);
    return result;
  }
}

export class RpcError extends Error {
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(`${method}: ${message}`);
  }
}
