import { Injectable } from '@nestjs/common';
import type { TenantScope } from '#kernel';
import { UnitOfWork } from '#persistence';
import { processMapNotFound } from '../domain/errors.js';
import type { ProcessMap } from '../domain/process-map.js';
import { ProcessMaps } from '../ports.js';

const NAME = /^[a-z][a-z0-9-]{1,39}$/;
const VERSION = /^[0-9.]{5,40}$/;

/** A map in its newest or a named version, with the versions that there are. */
@Injectable()
export class FindProcessMap {
  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMaps,
  ) {}

  /** @throws DomainError 404 `process_map_not_found` */
  async find(
    scope: TenantScope,
    name: string,
    version: string | null,
  ): Promise<{ readonly map: ProcessMap; readonly versions: readonly string[] }> {
    if (!NAME.test(name) || (version !== null && !VERSION.test(version))) throw processMapNotFound(name);
    return this.work.inTransaction(scope, async (tx) => {
      const map = version === null ? await this.maps.newest(tx, name) : await this.maps.version(tx, name, version);
      if (!map) throw processMapNotFound(version === null ? name : `${name} ${version}`);
      return { map, versions: (await this.maps.versions(tx, name)).map((known) => known.version) };
    });
  }
}
