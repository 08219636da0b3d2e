/** A fault that the operator can fix: shown as one message, without a stack. */
export class OperatorError extends Error {}

/** By its properties, because under a test runner the errors of the system have another `Error` class. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
