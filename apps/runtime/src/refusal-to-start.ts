/** A reason not to start that the operator can do something about: shown as its one sentence, without a stack. */
export class RefusalToStart extends Error {}

export const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error;
