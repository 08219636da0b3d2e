/** A version of a passport in a back-up. */
export interface BackedUpVersion {
  readonly version: number;
  /** ISO 8601: since when the public read it. */
  readonly from: string;
  /** sha2-256 of the document as it was archived; what was erased since is not in the file. */
  readonly hash: string;
}

/** A passport in a back-up, by all that leads to it. */
export interface BackedUpPassport {
  readonly id: string;
  readonly link: string | null;
  readonly tlc: string;
  readonly key: string;
  readonly issuedAt: string;
  /** Oldest first. */
  readonly versions: readonly BackedUpVersion[];
}

/** What a back-up has, and up to when: its recovery point. It lists all passports, so it is not for the public. */
export interface BackUpManifest {
  readonly format: typeof BACK_UP_FORMAT;
  readonly tenant: string;
  /** Everything that the public read up to this final block, and that was written up to this time, is in it. */
  readonly asOf: { readonly time: string; readonly chainId: number; readonly block: number };
  readonly passports: readonly BackedUpPassport[];
  /** sha2-256 of each file of the folder `site`, by its path there. */
  readonly files: Readonly<Record<string, string>>;
}

export const BACK_UP_FORMAT = 'traceability-dpp-back-up/1';
export const MANIFEST_FILE = 'manifest.json';
/** What a file host may serve as it is. */
export const SITE_FOLDER = 'site';

export const folderOfPassport = (id: string): string => `v1/dpps/${id}`;
export const compressedFile = (id: string): string => `${folderOfPassport(id)}/index.json`;
export const fullFile = (id: string): string => `${folderOfPassport(id)}/full.json`;
export const versionFile = (id: string, version: number): string => `${folderOfPassport(id)}/versions/${version}.json`;
/** The list of versions, for readers of a plain file host. */
export const versionsFile = (id: string): string => `${folderOfPassport(id)}/versions/index.json`;
