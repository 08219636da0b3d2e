import { readFile } from 'node:fs/promises';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { join } from 'node:path';
import { contentTag, hasState, malformedRequest, problemOf } from '#http';
import { DomainError } from '#kernel';
import { BACK_UP_FORMAT, type BackUpManifest, MANIFEST_FILE, REPRESENTATIONS, ReadBackUp, type Representation, resultOf } from '#passports';
import { OperatorError } from '../../../runtime/src/index.js';

/** @throws OperatorError where the folder is no back-up of this format */
export async function openBackUp(folder: string): Promise<{ readonly manifest: BackUpManifest; readonly backUp: ReadBackUp }> {
  const file = (path: string): Promise<Buffer | null> => readFile(join(folder, path)).catch(() => null);
  const text = (await file(MANIFEST_FILE))?.toString();
  if (text === undefined) throw new OperatorError(`There is no ${MANIFEST_FILE} in ${folder}.`);
  const manifest = JSON.parse(text) as BackUpManifest;
  if (manifest.format !== BACK_UP_FORMAT) throw new OperatorError(`${folder} is not a back-up of passports of this version.`);
  return { manifest, backUp: new ReadBackUp(manifest, file) };
}

/** Answers the methods of EN 18222 that read, at the addresses of the service, from the files of a back-up. */
export const backUpServer = (backUp: ReadBackUp): Server =>
  createServer((request, response) => {
    void answer(backUp, request).then(
      (body) => send(request, response, 200, body),
      (error: unknown) => {
        const problem = problemOf(error, { path: String(request.url), requestId: '' });
        send(request, response, problem.status, Buffer.from(JSON.stringify(resultOf(problem))));
      },
    );
  });

async function answer(backUp: ReadBackUp, request: IncomingMessage): Promise<Buffer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const [first, method, ...parts] = pathname.split('/').slice(1).map(decoded);
  const [id = '', elements, path = ''] = parts;
  const representation = representationIn(searchParams);
  if (first === 'v1' && request.method === 'POST' && method === 'dppsByProductIds') return idsOf(backUp, request, searchParams);
  if (first !== 'v1' || (request.method !== 'GET' && request.method !== 'HEAD')) throw nothingHere();
  if (method === 'dpps' && parts.length === 3 && elements === 'elements') return backUp.element(id, path, representation);
  if (parts.length !== 1) throw nothingHere();
  if (method === 'dpps') return backUp.byId(id, representation);
  if (method === 'dppsByProductId') return backUp.byProductId(id, representation);
  if (method === 'dppsByIdAndDate') return backUp.at(id, searchParams.get('date') ?? '', representation);
  throw nothingHere();
}

const nothingHere = (): DomainError => new DomainError('route_not_found', 404, 'A back-up answers the methods of EN 18222 that read.');
const refused = (pointer: string, message: string): DomainError => malformedRequest([{ pointer, code: 'wrong_format', message }]);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused('', 'A part of the address is not percent-encoded UTF-8.');
  }
}

function representationIn(query: URLSearchParams): Representation {
  const text = query.get('representation') ?? 'compressed';
  const known = REPRESENTATIONS.find((one) => one === text);
  if (known === undefined) throw refused('/representation', `It is one of ${REPRESENTATIONS.join(', ')}.`);
  return known;
}

const MOST_IDS = 100;
const MOST_PAGE = 1_000;

async function idsOf(backUp: ReadBackUp, request: IncomingMessage, query: URLSearchParams): Promise<Buffer> {
  const { productIds } = (JSON.parse(await bodyOf(request)) ?? {}) as { productIds?: unknown };
  const isList = Array.isArray(productIds) && productIds.length > 0 && productIds.length <= MOST_IDS;
  if (!isList || !productIds.every((one) => typeof one === 'string'))
    throw refused('/productIds', `It is a list of 1 to ${MOST_IDS} texts.`);
  const limit = Number(query.get('limit') ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PAGE) throw refused('/limit', `It is a number from 1 to ${MOST_PAGE}.`);
  return Buffer.from(JSON.stringify(backUp.idsOf(productIds, limit, query.get('cursor') ?? '')));
}

const MOST_BYTES = 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw refused('', 'The body is too large.');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  try {
    JSON.parse(text);
  } catch {
    throw refused('', 'The body is not JSON.');
  }
  return text;
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: Buffer): void {
  const etag = contentTag(body);
  const isKnown = status === 200 && hasState(request.headers['if-none-match'], etag);
  response.writeHead(isKnown ? 304 : status, {
    ...{ 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' },
    ...(status === 200 && { etag, 'cache-control': 'public, max-age=300' }),
  });
  response.end(isKnown || request.method === 'HEAD' ? undefined : body);
}
