import { rmSync } from 'node:fs';

export default async function teardown() {
  await globalThis.stopTestServer?.();
  if (globalThis.testFolder) rmSync(globalThis.testFolder, { recursive: true, force: true });
}
