import { describe, expect, it } from '@jest/globals';
import { UploadedFile, readMultipart } from './multipart-body.js';

const encoded = async (fields: readonly (readonly [string, string | Blob, string?])[]): Promise<readonly [Buffer, string]> => {
  const form = new FormData();
  for (const [name, value, file] of fields) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, file);
  }
  const answer = new Response(form);
  return [Buffer.from(await answer.arrayBuffer()), answer.headers.get('content-type')!];
};
const read = (body: string, type = 'multipart/form-data; boundary=x'): Readonly<Record<string, unknown>> =>
  readMultipart(Buffer.from(body), type);
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as { details: { errors: { code: string }[] } }).details.errors[0]!.code;
  }
};
const part = (disposition: string, content = 'c'): string => `--x\r\nContent-Disposition: ${disposition}\r\n\r\n${content}\r\n`;

describe('multipart/form-data', () => {
  it('is what browsers and clients send: texts, and files byte for byte', async () => {
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10]);
    const body = readMultipart(
      ...(await encoded([
        ['note', 'Grüße\r\n--'],
        ['file', new Blob([bytes]), 'C:\\a\\Lieferschein "März".pdf'],
      ])),
    );
    const file = body['file'] as UploadedFile;
    expect(body['note']).toBe('Grüße\r\n--');
    expect([file.name, file.bytes.equals(bytes)]).toEqual(['Lieferschein März.pdf', true]);
    expect(JSON.stringify(file)).toBe(JSON.stringify({ name: file.name, sha256: file.sha256 }));
  });

  it('may have a preamble, a quoted boundary and an empty file', () => {
    const body = read(
      `before\r\n${part('form-data; name="file"; filename="a\\"b.txt"', '')}--x--\r\nafter`,
      'multipart/form-data; boundary="x"',
    );
    expect([(body['file'] as UploadedFile).name, (body['file'] as UploadedFile).bytes.length]).toEqual(['ab.txt', 0]);
  });

  it.each<[string, () => unknown, string]>([
    ['without a boundary', () => read('', 'multipart/form-data'), 'not_multipart'],
    ['without an end', () => read(part('form-data; name="a"')), 'not_multipart'],
    ['with another boundary', () => read(`${part('form-data; name="a"')}--x--`, 'multipart/form-data; boundary=y'), 'not_multipart'],
    ['without a name', () => read(`${part('form-data')}--x--`), 'not_multipart'],
    ['with a name that is none', () => read(`${part('form-data; name="__proto__"')}--x--`), 'not_multipart'],
    ['with a part twice', () => read(`${part('form-data; name="a"')}${part('form-data; name="a"')}--x--`), 'duplicate_name'],
    [
      'with a text that is none',
      () => readMultipart(Buffer.from(`${part('form-data; name="a"', '\u00ff')}--x--`, 'latin1'), 'm; boundary=x'),
      'not_utf8',
    ],
    [
      'with a thousand parts',
      () => read(Array.from({ length: 1_000 }, (_, i) => part(`form-data; name="${i}"`)).join('')),
      'not_multipart',
    ],
  ])('is refused %s', (_, work, code) => expect(codeOf(work)).toBe(code));
});
