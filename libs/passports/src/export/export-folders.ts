import { plainGs1 } from '#kernel';

/**
 * The folder of a Digital Link, decoded once as file hosts do. A code with `/` would be in the folder of another code, and `.` and `..` name
 * other folders: such codes have none.
 */
export function folderOfLink(link: string | null): string | null {
  const parts = link?.split('/').slice(1).map(plainGs1) ?? [];
  const isFolder = parts.length > 0 && parts.every((part) => !part.includes('/') && !/^\.+$/.test(part));
  return isFolder ? parts.join('/') : null;
}

/** Where files go: `write` replaces what is there, `remove` takes a file or a whole folder away, if it is there. */
export interface ExportTarget {
  write(path: string, content: string | Buffer): Promise<void>;
  remove(path: string): Promise<void>;
}
