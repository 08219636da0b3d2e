import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';

/** These show what is refused. */
const EXAMPLES = new Set(['citations', 'links', 'words'].map((name) => `test/architecture/${name}.spec.ts`));
const TEXT = /\.(ts|tsx|mjs|cjs|js|md|sql|sol|css|yaml|yml|sh)$/;
const GENERATED = /^(contracts\/generated|bench\/results|libs\/client\/src\/generated)\/|\/migrations\//;

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** A section sign belongs to a standard that is named on the same line, or to a link with a heading. */
const STANDARD =
  /RFC ?\d|GS1|General Specifications|CBV|EPCIS|EPC Tag|ISO|W3C|FIPS|XML|CFR|yellow paper|Digital Link|EIP|UNTP|PACT|EN \d|BRCGS|ISTQB|draft-ietf/;
const ELSEWHERE =
  /\b(service-spec|api-decisions|domain-decisions|reliability-decisions|contract-draft)\b|\b(architecture|chain|style|stack|skeleton|seed|house|language|reads|passkeys|spec) ?§|\bS [1-9]\.\d/;

interface Repository {
  readonly files: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly read: (path: string) => string;
}

/** What a line cites that a reader of the repository cannot open. */
function faultsIn(line: string, { files, names, read }: Repository): readonly string[] {
  const linked = [...line.matchAll(/\bdocs\/[\w./-]+\.md(#[\w-]+)?/g)].flatMap(([cited]) => {
    const [path, anchor] = cited.split('#') as [string, string?];
    if (!files.has(path)) return [`${cited}: no such page`];
    if (anchor === undefined) return [];
    const there = [...read(path).matchAll(/^#{1,6} (.+)$/gm)].some(([, heading]) => anchorOf(heading!) === anchor);
    return there ? [] : [`${cited}: no such heading`];
  });
  const unknown = [...line.matchAll(/(?<![\w/.*>}-])[\w-]{2,}\.md\b/g)].flatMap(([name]) =>
    names.has(name) ? [] : [`${name}: no such page`],
  );
  const elsewhere = ELSEWHERE.exec(line);
  const sign = line.includes('§') && !STANDARD.test(line) ? ['§ of a document that is not named'] : [];
  return [...linked, ...unknown, ...(elsewhere ? [`${elsewhere[0]}: not in the repository`] : sign)];
}

/** Pages of the past name files as they were. */
const PAST = /^(docs\/adr\/|bench\/results\/|CHANGELOG)/;

/** Files of code that a page names, with or without their folders, and that nobody finds. A suffix alone, as `.dto.ts`, is no file. */
function lostIn(text: string, { files }: Repository): readonly string[] {
  const named = [...text.matchAll(/`((?!\.)[\w./-]+\.(?:ts|tsx|mjs|cjs|sql|sol))`/g)].map(([, path]) => path!);
  const paths = [...files];
  return named.filter((path) => !files.has(path) && !paths.some((file) => file.endsWith(`/${path}`)));
}

describe('what code and pages cite', () => {
  let repository: Repository;
  let paths: readonly string[];

  beforeAll(() => {
    const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const files = new Set(tracked.split('\n').filter(Boolean));
    const pages = new Map<string, string>();
    const read = (path: string): string => pages.get(path) ?? pages.set(path, readFileSync(path, 'utf8')).get(path)!;
    repository = { files, names: new Set([...files].map((path) => basename(path))), read };
    paths = [...files].filter((path) => TEXT.test(path) && !GENERATED.test(path) && !EXAMPLES.has(path));
  });

  it('is in the repository: each page, and each heading of it', () => {
    expect(paths.length).toBeGreaterThan(500);
    const faults = paths.flatMap((path) => {
      const lines = readSafely(path).split('\n');
      return lines.flatMap((line, at) => faultsIn(line, repository).map((fault) => `${path}:${at + 1} ${fault}`));
    });
    expect(faults).toEqual([]);
  });

  it('is in the repository: each file of code that a page names', () => {
    const pages = paths.filter((path) => path.endsWith('.md') && !PAST.test(path));
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.flatMap((path) => lostIn(readSafely(path), repository).map((file) => `${path}: ${file}`))).toEqual([]);
    expect(lostIn('`lots/lot.ts`, `.dto.ts`, `lots/nowhere.ts` and `nowhere.queries.ts`', repository)).toEqual([
      'lots/nowhere.ts',
      'nowhere.queries.ts',
    ]);
  });

  it('would be found out where it is not', () => {
    const cited = (line: string): readonly string[] => faultsIn(line, repository);
    expect(cited('// docs/spec/domain.md#lots, docs/spec/README.md and RFC 8785 §3.2.3')).toEqual([]);
    expect(cited('// docs/spec/domain.md#nowhere')).toEqual(['docs/spec/domain.md#nowhere: no such heading']);
    expect(cited('// docs/spec/nowhere.md#lots')).toEqual(['docs/spec/nowhere.md#lots: no such page']);
    expect(cited('// see secret-plan.md')).toEqual(['secret-plan.md: no such page']);
    expect(cited('// as architecture §5 says')).toEqual(['architecture §: not in the repository']);
    expect(cited('// the shape of S 2.10')).toEqual(['S 2.1: not in the repository']);
    expect(cited('// §2.1')).toEqual(['§ of a document that is not named']);
  });
});

/** A file may be on its way to another place while this runs. */
function readSafely(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
