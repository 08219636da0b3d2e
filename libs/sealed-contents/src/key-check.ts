import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '#persistence';
import { ContentKeyStore, KEYS_REMEDY } from './content-key-store.js';

/** Says at start that the keys of tenants are lost, e.g. after a restore: otherwise the first who prepares something finds it. */
@Injectable()
export class KeyCheck implements OnApplicationBootstrap {
  private readonly log = new Logger('Keys');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: ContentKeyStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Without the database there is more to say, which others do.
    const lost = await this.unitOfWork.readAsSystem((tx) => this.keys.lostKeys(tx)).catch(() => null);
    if (lost !== null) this.log.warn(`${lost} ${KEYS_REMEDY}`);
  }
}
