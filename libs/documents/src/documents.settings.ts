/** Where `clamd` listens; null: files are not scanned. A class, because it is also an injection token. */
export class DocumentsSettings {
  constructor(
    readonly clamd: ClamdAddress | null,
    /** Of a scan. */
    readonly scanMs = 60_000,
  ) {}
}

/** A host and a port, or the path of a socket. */
export type ClamdAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** `tcp://host:3310` or `unix:///run/clamav/clamd.ctl`, as the configuration has checked it. */
export function clamdAddress(url: string): ClamdAddress {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol === 'unix:') return { path: decodeURIComponent(pathname) };
  return { host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port || 3_310) };
}
