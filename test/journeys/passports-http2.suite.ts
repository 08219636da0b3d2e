import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueCertificate } from '../harness/certificates.js';
import { eventually } from '../harness/eventually.js';
import { freePort } from '../harness/free-port.js';
import { findNginx, startNginx } from '../harness/nginx.js';
import { LINK, journey, shown } from './passports-journey.js';

const nginx = findNginx();
const withNginx = nginx === null ? it.skip : it;
if (nginx === null) process.stderr.write('!! No nginx was found: passports are NOT tested over HTTP/2.\n');

interface Answer {
  readonly status: unknown;
  readonly type: string;
  readonly text: string;
}

const get = (session: ClientHttp2Session, path: string, accept: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, accept });
    let head: Omit<Answer, 'text'> | null = null;
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => (head = { status: headers[':status'], type: String(headers['content-type']) }));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve({ ...head!, text: Buffer.concat(chunks).toString() }));
    stream.on('error', reject);
    stream.end();
  });

/** The proxy that docs/how-to/run-several-processes.md shows, with its addresses replaced by those of the test. */
export function passportsHttp2Suite(): void {
  describe('behind the proxy of the how-to, a passport', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trace-proxy-'));
    let proxy: ReturnType<typeof startNginx> | undefined;
    let base: string;
    let certificate: string;

    beforeAll(async () => {
      if (nginx === null) return;
      const port = await freePort();
      const issued = await issueCertificate({ name: 'Proxy', host: '127.0.0.1' });
      certificate = issued.certificate.toString('pem');
      writeFileSync(join(folder, 'id.pem'), certificate);
      writeFileSync(join(folder, 'id.key'), issued.keyPem);
      const shownInHowTo = /```nginx\n(.*?)```/s.exec(readFileSync('docs/how-to/run-several-processes.md', 'utf8'))![1]!;
      const config = shownInHowTo
        .replace('127.0.0.1:3000', new URL(journey.world.baseUrl).host)
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replaceAll('/etc/tls', folder)
        .replaceAll('$host', '$http_host');
      proxy = startNginx(nginx, join(folder, 'nginx'), config);
      base = `https://127.0.0.1:${port}`;
    });
    afterAll(() => {
      proxy?.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    withNginx('is read over HTTP/2, many at once on one connection', async () => {
      const { passportId: id } = await shown(LINK);
      const session = await eventually(
        'the proxy',
        () =>
          new Promise<ClientHttp2Session | undefined>((resolve) => {
            const made = connect(base, { ca: certificate });
            made.on('connect', () => resolve(made));
            made.on('error', () => resolve(undefined));
          }),
      );
      try {
        expect(session.alpnProtocol).toBe('h2');
        const paths = [
          [`/p/${id}`, 'text/html'],
          [`/p/${id}`, 'application/json'],
          [`/v1/dpps/${id}`, 'application/json'],
        ] as const;
        const answers = await Promise.all([...paths, ...paths].map(([path, accept]) => get(session, path, accept)));
        expect(answers.map(({ status, type }) => [status, type.split(';')[0]])).toEqual(
          [...paths, ...paths].map(([, type]) => [200, type]),
        );
        expect(answers[2]!.text).toBe(await (await fetch(`${journey.world.baseUrl}/v1/dpps/${id}`)).text());
      } finally {
        session.close();
      }
    });
  });
}
