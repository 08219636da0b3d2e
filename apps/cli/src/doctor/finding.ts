/** The state of one engine; `remedy` says what to do when it fails. */
export interface Finding {
  readonly engine: string;
  readonly well: boolean;
  readonly found: string;
  readonly remedy?: string;
}

export const fine = (engine: string, found: string): Finding => ({ engine, well: true, found });
export const failing = (engine: string, found: string, remedy: string): Finding => ({ engine, well: false, found, remedy });
export const reasonOf = (error: unknown): string => (error as { code?: string }).code ?? ((error as Error).message || 'no answer');
