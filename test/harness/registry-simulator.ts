import { createHash } from 'node:crypto';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as x509 from '@peculiar/x509';
import { decodeProtectedHeader, flattenedVerify } from 'jose';

export interface RegistryEntry {
  readonly action: 'register' | 'withdraw';
  readonly digitalProductPassportId: string;
  readonly version: number;
  readonly versionHash: { readonly algorithm: string; readonly value: string };
  readonly [member: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const refused = (code: string, message: string): Answer => ({ status: 422, body: { code, message } });
/** A seal is made when its entry is: older ones come from a queue. */
const OLDEST_SEAL_S = 7 * 86_400;

/**
 * A registry of passports for tests, since the interface of the Commission's is not public. It takes an entry with its seal, verifies the
 * JAdES signature and the chain of its certificate up to the roots that it trusts, and keeps one entry of a version.
 */
export class RegistrySimulator {
  readonly kept: RegistryEntry[] = [];
  /** Statuses of the next answers, before anything is read. */
  readonly outages: number[] = [];
  requests = 0;

  private constructor(
    private readonly server: Server,
    public trusted: readonly x509.X509Certificate[],
  ) {
    server.on('request', (request, response) => {
      void this.answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  static async start(trusted: readonly x509.X509Certificate[]): Promise<RegistrySimulator> {
    const server = createServer();
    const simulator = new RegistrySimulator(server, trusted);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return simulator;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/registrations`;
  }

  /** The last entry of a passport. */
  of(passport: string): RegistryEntry | undefined {
    return this.kept.findLast(({ digitalProductPassportId }) => digitalProductPassportId === passport);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage): Promise<Answer> {
    this.requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const outage = this.outages.shift();
    if (outage !== undefined) return { status: outage, body: { code: 'out_of_order', message: 'Try again later.' } };
    const { entry, seal } = JSON.parse(Buffer.concat(chunks).toString()) as { entry: string; seal: string };
    const fault = await this.faultOf(entry, seal);
    if (fault !== null) return refused(...fault);
    return this.keep(JSON.parse(entry) as RegistryEntry);
  }

  private keep(entry: RegistryEntry): Answer {
    const last = this.of(entry.digitalProductPassportId);
    if (last && last.version > entry.version) return refused('version_superseded', 'A later version is registered.');
    if (last?.version === entry.version && last.versionHash.value !== entry.versionHash.value)
      return refused('version_conflict', 'This version is registered with another hash.');
    this.kept.push(entry);
    return { status: 201, body: { registrationId: `R-${this.kept.length}` } };
  }

  /** Why a seal is not that of the entry; null where it is. */
  async faultOf(entry: string, seal: string): Promise<[code: string, message: string] | null> {
    const [head, payload, signature] = seal.split('.') as [string, string, string];
    const header = decodeProtectedHeader({ protected: head }) as Record<string, unknown>;
    const {
      x5c = [],
      crit,
      sigD,
      iat,
      cty,
    } = header as {
      x5c?: string[];
      crit?: string[];
      sigD?: { mId: string; pars: string[] };
      iat?: number;
      cty?: string;
    };
    const chain = x5c.map((text) => new x509.X509Certificate(text));
    const [leaf] = chain;
    const thumbprint = createHash('sha256')
      .update(Buffer.from(x5c[0] ?? '', 'base64'))
      .digest('base64url');
    if (!leaf || header['x5t#S256'] !== thumbprint) return ['seal_without_certificate', 'The seal does not name its certificate.'];
    const { digitalProductPassportId } = JSON.parse(entry) as RegistryEntry;
    const isDetached = payload === '' && crit?.includes('sigD') && cty === 'json' && sigD?.pars[0] === digitalProductPassportId;
    if (!isDetached) return ['seal_malformed', 'The seal is no detached JAdES signature of this entry.'];
    const age = Date.now() / 1000 - (iat ?? 0);
    if (age < -60 || age > OLDEST_SEAL_S) return ['seal_out_of_time', 'The seal was not made now.'];
    if (!(await this.isTrusted(chain))) return ['seal_untrusted', 'Nobody who is trusted issued this certificate.'];
    try {
      const key = await leaf.publicKey.export();
      await flattenedVerify({ protected: head, payload: Buffer.from(entry), signature }, key, { crit: { sigD: true } });
      return null;
    } catch {
      return ['seal_invalid', 'The signature is not that of this entry.'];
    }
  }

  private async isTrusted(chain: readonly x509.X509Certificate[]): Promise<boolean> {
    const [now, last] = [new Date(), chain.at(-1)!];
    if (chain.some(({ notBefore, notAfter }) => now < notBefore || now > notAfter)) return false;
    for (const [i, certificate] of chain.entries())
      if (chain[i + 1] && !(await certificate.verify({ publicKey: chain[i + 1]!.publicKey, date: now }))) return false;
    for (const root of this.trusted)
      if (root.toString('hex') === last.toString('hex') || (await last.verify({ publicKey: root.publicKey, date: now }))) return true;
    return false;
  }
}
