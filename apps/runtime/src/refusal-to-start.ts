/** A reason not to start that the operator can do something about: shown as its one sentence, without a stack. */
export class RefusalToStart extends Error {}

/** By its shape: under a test runner the system's errors come from another realm than `Error`. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'code' in error;
