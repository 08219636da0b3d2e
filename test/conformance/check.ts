/** One statement of a standard, or one document of its examples. */
export interface Check {
  readonly name: string;
  /** Null: it holds. Else why it does not. */
  readonly run: () => string | null | Promise<string | null>;
}

export interface Suite {
  readonly name: string;
  /** Where its data come from. */
  readonly source: string;
  /** Folder or file of its data, in the folder of all of them. */
  readonly data: string;
  readonly checks: (folder: URL) => readonly Check[];
}

export interface SuiteResult {
  readonly name: string;
  readonly source: string;
  /** Null: its data are not at hand. */
  readonly tried: number | null;
  readonly failures: readonly { readonly name: string; readonly why: string }[];
}
