import { readdir } from 'node:fs/promises';
import type { LotExporter } from '../domain/dossier.js';
import { Exporters } from '../ports.js';

/** Every file of `domain/exporters`: adding one is all it takes. */
export class KnownExporters extends Exporters {
  private constructor(readonly all: readonly LotExporter[]) {
    super();
  }

  static async load(): Promise<Exporters> {
    const folder = new URL('../domain/exporters/', import.meta.url);
    const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !name.endsWith('.spec.js'));
    const all: LotExporter[] = [];
    for (const name of files) all.push(((await import(new URL(name, folder).href)) as { exporter: LotExporter }).exporter);
    return new KnownExporters(all.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }
}
