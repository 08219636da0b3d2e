/** What the service answered instead of a result: RFC 9457 problem details with a stable `code`. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ApiProblem';
  }

  /** Problems of single fields, where the service named any. */
  get errors(): readonly { readonly pointer: string; readonly code: string; readonly message: string }[] {
    return (this.body.errors ?? []) as never;
  }
}
