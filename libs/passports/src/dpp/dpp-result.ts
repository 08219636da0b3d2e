/** Generic status codes (EN 18222 Table 15), by HTTP status. */
const STATUS_CODES: Readonly<Record<number, string>> = {
  400: 'ClientErrorBadRequest',
  401: 'ClientNotAuthorized',
  403: 'ClientForbidden',
  404: 'ClientErrorResourceNotFound',
  405: 'ClientMethodNotAllowed',
  409: 'ClientResourceConflict',
  500: 'ServerInternalError',
  502: 'ServerErrorBadGateway',
};

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly code: string; readonly message: string }[];
}

/** The result object of a failure (EN 18222 Table 12), with the members of the problem (RFC 9457) that it is made of. */
export const resultOf = <Problem extends Refused>(problem: Problem) => ({
  ...problem,
  statusCode: STATUS_CODES[problem.status] ?? (problem.status < 500 ? 'ClientErrorBadRequest' : 'ServerInternalError'),
  message: [{ code: problem.code, message: problem.detail }, ...(problem.errors ?? [])].map(({ code, message }) => ({
    messageType: 'Error',
    text: message,
    code,
    correlationId: problem.requestId,
  })),
});
