import type { ContentKeys } from '#envelope';

/** A part, its nonce and its tag fill one block of the content store. */
export const PART_BYTES = 256 * 1024 - 28;

export const partsIn = (size: number): number => Math.ceil(size / PART_BYTES);

/** What a part is sealed for: in another file, tenant or place it does not open. */
export const partName = (tenantId: string, fileId: string, place: number, count: number): string =>
  `file part ${tenantId} ${fileId} ${place}/${count}`;

/** A file has one key, kept like that of a content with nothing but restricted values. */
export const keysOfFile = (key: Uint8Array): ContentKeys => ({ restricted: key });
export const keyOfFile = ({ restricted }: ContentKeys): Uint8Array | null => restricted ?? null;
