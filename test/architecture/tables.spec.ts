import { readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { settingsReference } from '#config';
import { keptOf } from '../../apps/cli/src/backup/kept-rows.js';
import { TABLE_ORIGINS } from '../../apps/cli/src/backup/table-origins.js';
import { retentionRules } from '../../apps/runtime/src/index.js';

/** Of all migrations; the runner makes the ledger. */
const tables = (): readonly string[] => {
  const found = new Set(['persistence.migration']);
  for (const lib of readdirSync('libs'))
    for (const file of readdirSync(`libs/${lib}/src`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sql'))) {
      const sql = readFileSync(`libs/${lib}/src/${file}`, 'utf8');
      for (const [, table] of sql.matchAll(/^create table (?:if not exists )?([a-z_]+\.[a-z_]+)/gm)) found.add(table!);
      for (const [, table] of sql.matchAll(/^drop table (?:if exists )?([a-z_]+\.[a-z_]+)/gm)) found.delete(table!);
    }
  return [...found].toSorted();
};

describe('every table', () => {
  it('has a bound: what adds rows to it, and for how long they are kept', () => {
    expect(tables().length).toBeGreaterThan(80);
    expect(Object.keys(TABLE_ORIGINS).toSorted()).toEqual(tables());
    const unbounded = Object.entries(TABLE_ORIGINS).filter(([table, { grows }]) => grows === '' || keptOf(table) === '');
    expect(unbounded.map(([table]) => table)).toEqual([]);
  });

  it('has its bound from settings that there are, where it names some', () => {
    const settings = new Set(settingsReference().map(({ name }) => name));
    const named = Object.entries(TABLE_ORIGINS).flatMap(([table, { grows }]) => `${grows} ${keptOf(table)}`.match(/`[A-Z_]{5,}`/g) ?? []);
    expect(named.length).toBeGreaterThan(15);
    expect(named.map((name) => name.slice(1, -1)).filter((name) => !settings.has(name))).toEqual([]);
  });
});

describe('every schema', () => {
  const files = readdirSync('libs').flatMap((lib) =>
    readdirSync(`libs/${lib}/src`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sql'))
      .map((name) => `libs/${lib}/src/${name}`),
  );

  // Until the first release (libs/persistence/README.md#migrations): then files are added, and this test goes.
  it('has one migration file, named like it', () => {
    const folders = files.map((path) => dirname(path));
    expect(folders.length).toBeGreaterThan(10);
    expect(folders).toEqual([...new Set(folders)]);
    for (const path of files)
      for (const [, schema] of readFileSync(path, 'utf8').matchAll(/^create (?:table|view) ([a-z]+)\./gm))
        expect(path).toMatch(`-${schema}.sql`);
  });

  it('has each of its views once, as it is', () => {
    const written = files.flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/^(?:create (?:or replace )?view|drop \w+|alter table \S+ (?:add|drop)) .*/gm),
    ]);
    const views = written.map(([line]) => /^create view ([a-z_]+\.\w+)/.exec(line)?.[1] ?? line);
    expect(views).toEqual([...new Set(views)]);
    expect(views.filter((view) => !/^[a-z_]+\.\w+$/.test(view))).toEqual([]);
  });
});

describe('every rule of the retention', () => {
  it('is of a table that is there, and of settings that are there', () => {
    const settings = new Set(settingsReference().map(({ name }) => name));
    for (const rule of retentionRules) {
      expect(Object.keys(TABLE_ORIGINS)).toContain(rule.table);
      expect([rule.table, rule.settings.filter((name) => !settings.has(name))]).toEqual([rule.table, []]);
    }
  });

  it('is in the page about the retention, with its setting', () => {
    const page = readFileSync('docs/explanation/retention.md', 'utf8');
    for (const { table, settings } of retentionRules) for (const name of [table, ...settings]) expect(page).toContain(`\`${name}\``);
  });
});
