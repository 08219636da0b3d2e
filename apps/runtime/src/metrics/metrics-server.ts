import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '#config';
import { refusedPort } from '../port.js';
import { Metrics } from './metrics.js';

/** A scraper sends a line and a few headers. */
const REQUEST_TIMEOUT_MS = 5_000;

/** The metrics of this process and the port that shows them. */
export interface OpenMetrics {
  readonly metrics: Metrics;
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the port before anything else starts, so that a taken one costs nobody a minute. Null without METRICS_PORT. @throws OperatorError */
export async function openMetrics(config: Config): Promise<OpenMetrics | null> {
  if (config.metrics === null) return null;
  const { host, port } = config.metrics;
  const metrics = new Metrics(config);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void answer(metrics, request, response);
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw refusedPort(error, host, port, 'METRICS_PORT');
  });
  return { metrics, url: urlOf(server), close: () => close(server) };
}

async function answer(metrics: Metrics, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url.split('?', 1)[0] !== '/metrics') return plain(response, 404, 'The metrics are at /metrics.\n');
  if (method !== 'GET' && method !== 'HEAD') return plain(response.setHeader('allow', 'GET, HEAD'), 405, 'GET it.\n');
  try {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
  } catch {
    plain(response, 500, 'The metrics could not be read.\n');
  }
}

const plain = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
