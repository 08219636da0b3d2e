/**
 * The state of a resource that a change expects (`If-Match`). Check it in the transaction of the change, behind the lock of the resource.
 */
export interface ExpectedState {
  /** @param now what of the resource is shown and can change @throws DomainError 412 `precondition_failed` */
  check(now: object): void;
}

/** Of a change that names no state. */
export const ANY_STATE: ExpectedState = { check: () => undefined };
