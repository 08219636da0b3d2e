import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

describe('the limits of tests', () => {
  it('are the common ones: a shorter one of its own fails on a busy machine, and says nothing about the service', () => {
    const own = /^\s*\}, ([\d_]+)\);$/gm;
    const short = readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join('test', name))
      .flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(own)].flatMap(([line, limit]) =>
          Number(limit!.replaceAll('_', '')) < 300_000 ? `${path}: ${line.trim()}` : [],
        ),
      );
    expect(short).toEqual([]);
  });
});
