import { Clock, DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import { KeyWrapper } from '#sealed-contents';
import { GuardedPosts, type PostOutcome } from '#webhooks';
import { Injectable } from '@nestjs/common';
import { sealKeyOwner } from './change-registry.js';
import { type Registration, type RegistrySetting, entryText, waitMs } from './registration.js';
import { RegistryQueries } from './registry.queries.js';
import { type SealMaterial, sealMaterial } from './seal-certificate.rules.js';
import { sealOf } from './seal.client.js';

const BATCH = 100;
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': 'traceability-service-registry/1' };
/** Worth another attempt; other refusals are for good. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
const REASON_CHARACTERS = 500;

/** Makes and seals the entries that are due, and sends them. Any number of processes may: a registry keeps one entry of a version. */
@Injectable()
export class SendRegistrations {
  constructor(
    private readonly work: UnitOfWork,
    private readonly registry: RegistryQueries,
    private readonly keys: KeyWrapper,
    private readonly posts: GuardedPosts,
    private readonly clock: Clock,
  ) {}

  /** One batch of entries for what has none. Nothing while the certificate is out of its time. @returns whether something is due to be sent */
  prepare(tenantId: string): Promise<boolean> {
    return this.work.inTransaction({ tenantId }, async (tx) => {
      const [setting, now] = [await this.registry.setting(tx), this.clock.now()];
      if (setting === null || !(await this.registry.lock(tx))) return false;
      const versions = await this.registry.registrable(tx, setting.changedAt, BATCH);
      const material = versions.length === 0 ? null : await this.material(tenantId, setting, now);
      for (const version of material === null ? [] : versions) {
        const entry = entryText(version, setting.backUpUrl);
        const { digitalProductPassportId } = JSON.parse(entry) as { digitalProductPassportId: string };
        await this.registry.add(tx, version, { entry, seal: await sealOf(entry, digitalProductPassportId, material!, now) }, now);
      }
      return setting.url !== null && (await this.registry.due(tx, now, 1)).length > 0;
    });
  }

  /** Sends what is due, one after another. */
  async send(tenantId: string, leaving: AbortSignal): Promise<void> {
    const [setting, due] = await this.work.read({ tenantId }, (tx) =>
      Promise.all([this.registry.setting(tx), this.registry.due(tx, this.clock.now(), BATCH)]),
    );
    if (!setting?.url) return;
    for (const registration of due) {
      if (leaving.aborted) return;
      const body = Buffer.from(JSON.stringify({ entry: registration.entry, seal: registration.seal }));
      const outcome = await this.posts.post({ url: setting.url, headers: HEADERS, body });
      await this.settle(tenantId, registration, outcome);
    }
  }

  /** Null where the certificate is not valid now: the setting says so. */
  private async material(tenantId: string, { wrappedKey, certificateChain }: RegistrySetting, now: Date): Promise<SealMaterial | null> {
    const pem = await this.keys.unwrap(wrappedKey, sealKeyOwner(tenantId));
    try {
      return sealMaterial(certificateChain, pem.toString(), now);
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  private settle(tenantId: string, registration: Registration, outcome: PostOutcome): Promise<void> {
    const at = this.clock.now();
    const next = (asked: number | null): Date => new Date(at.getTime() + waitMs(registration.attempts + 1, asked));
    const settlement = (): Parameters<RegistryQueries['settle']>[2] => {
      if (outcome.kind === 'unanswered')
        return { state: 'waiting', reasonCode: outcome.silence, reason: outcome.error, at, next: next(null) };
      const { statusCode, responseBody, retryAfterMs } = outcome;
      const { registrationId, code, message } = membersOf(responseBody);
      if (statusCode >= 200 && statusCode < 300) return { state: 'registered', registrationId, at };
      const reason = { reasonCode: code ?? `http_${statusCode}`, reason: message ?? null, at };
      if (statusCode >= 500 || LATER.has(statusCode)) return { state: 'waiting', ...reason, next: next(retryAfterMs) };
      return { state: 'refused', ...reason };
    };
    return this.work.inTransaction({ tenantId }, async (tx) => void (await this.registry.settle(tx, registration, settlement())));
  }
}

/** What a registry says, as far as it is text. */
function membersOf(body: string): Readonly<Record<'registrationId' | 'code' | 'message', string | null>> {
  let answer: Readonly<Record<string, unknown>> = {};
  try {
    answer = Object(JSON.parse(body)) as typeof answer;
  } catch {
    // Not JSON: its status says enough.
  }
  const text = (name: string): string | null => (typeof answer[name] === 'string' ? answer[name].slice(0, REASON_CHARACTERS) : null);
  return { registrationId: text('registrationId'), code: text('code'), message: text('message') };
}
