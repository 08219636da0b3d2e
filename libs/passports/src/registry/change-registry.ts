import { AuditLog } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork, lockForChange } from '#persistence';
import { KeyWrapper } from '#sealed-contents';
import { Injectable } from '@nestjs/common';
import { registryUrlInvalid } from '../errors.js';
import type { RegistrySetting } from './registration.js';
import { RegistryQueries } from './registry.queries.js';
import { sealMaterial } from './seal-certificate.rules.js';

/** How a tenant registers, as it says so. */
interface RegistryWords {
  readonly url: string | null;
  readonly backUpUrl: string | null;
  readonly certificateChain: string;
  readonly sealKey: string;
}

/** Whether addresses without TLS are allowed: where the operator lets webhooks reach inner networks, for tests and development. */
export class RegistryUrls {
  constructor(readonly plainHttp: boolean) {}
}

/** What a wrapped key belongs to. */
export const sealKeyOwner = (tenantId: string): string => `registry seal ${tenantId}`;

/** Says where and with which certificate a tenant registers its passports. Changes are in the audit log, without the key. */
@Injectable()
export class ChangeRegistry {
  constructor(
    private readonly work: UnitOfWork,
    private readonly registry: RegistryQueries,
    private readonly keys: KeyWrapper,
    private readonly audit: AuditLog,
    private readonly urls: RegistryUrls,
  ) {}

  /** @throws DomainError 422 `registry_url_invalid`, `seal_…` */
  async change(actor: Actor, { url, backUpUrl, certificateChain, sealKey }: RegistryWords, clock: Clock): Promise<RegistrySetting> {
    const changedAt = clock.now();
    this.check('/url', url);
    this.check('/backUpUrl', backUpUrl);
    const { key, chain } = sealMaterial(certificateChain, sealKey, changedAt);
    const plain = Buffer.from(key.export({ type: 'pkcs8', format: 'pem' }));
    const wrappedKey = await this.keys.wrap(plain, sealKeyOwner(actor.tenantId));
    const pem = chain.map((certificate) => certificate.toString()).join('');
    const setting = { url, backUpUrl: backUpUrl?.replace(/\/+$/, '') ?? null, certificateChain: pem, wrappedKey, changedAt };
    await this.work.inTransaction(actor, async (tx) => {
      await lockForChange(tx, 'passports.registry_setting');
      await this.registry.write(tx, setting, actor.id);
      const details = { url, backUpUrl, certificate: chain[0]!.fingerprint256 };
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passports.registry_changed', details });
    });
    return setting;
  }

  /** Nothing is registered from now on. What was stays. */
  async remove(actor: Actor): Promise<void> {
    await this.work.inTransaction(actor, async (tx) => {
      if ((await this.registry.setting(tx)) === null) return;
      await this.registry.remove(tx);
      await this.audit.record(tx, actor.tenantId, actor, { action: 'passports.registry_removed', details: {} });
    });
  }

  private check(pointer: string, text: string | null): void {
    if (text === null) return;
    const url = URL.canParse(text) ? new URL(text) : null;
    const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && this.urls.plainHttp);
    if (!url || !isSecure || url.username !== '' || url.password !== '' || url.hash !== '') throw registryUrlInvalid(pointer);
  }
}
