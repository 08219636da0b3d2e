import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { notRunHere } from '../harness/not-run-here.js';

const promtool = spawnSync('promtool', ['--version']).status === 0;

/** Prometheus' own tool reads the rules as Prometheus will. Debian has it in the package `prometheus`. */
if (!promtool) notRunHere('the alert rules, without promtool (Debian: prometheus)');
else
  describe('the alert rules', () => {
    let folder: string;
    const runTests = () => spawnSync('promtool', ['test', 'rules', join(folder, 'alerts.test.yaml')], { encoding: 'utf8' });

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'alert-rules-'));
      cpSync('ops/prometheus', folder, { recursive: true });
    });
    afterEach(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    it('are valid for Prometheus', () => {
      expect(execFileSync('promtool', ['check', 'rules', join(folder, 'alerts.yaml')], { encoding: 'utf8' })).toContain('SUCCESS');
    });

    it('fire as their tests say, and every alert has a test that it fires', () => {
      expect(runTests()).toMatchObject({ status: 0 });
      const alerts = [...readFileSync('ops/prometheus/alerts.yaml', 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
      const tests = readFileSync('ops/prometheus/alerts.test.yaml', 'utf8');
      expect(alerts.filter((name) => !new RegExp(`"${name}", alertstate="firing".*value: 1`).test(tests))).toEqual([]);
    });

    it.each([
      ['> 0.01', '> 0.05'],
      ['> 20', '> 19'],
      ['> 0.5\n        for: 15m', '> 0.7\n        for: 15m'],
      ['{state="waiting"}', ''],
    ])('are noticed when they change: %j becomes %j', (before, after) => {
      const rules = readFileSync(join(folder, 'alerts.yaml'), 'utf8');
      expect(rules).toContain(before);
      writeFileSync(join(folder, 'alerts.yaml'), rules.replace(before, after));
      expect(runTests().status).toBe(1);
    });
  });
