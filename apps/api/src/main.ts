import 'reflect-metadata';
import { configFrom } from '#config';
import { describeEngines, runProgram } from '../../runtime/src/index.js';
import { demoScreen, seedDemo, wantsDemo } from './demo.js';
import { startService } from './service.js';

await runProgram(async (say) => {
  const config = configFrom(process.env);
  const service = await startService(config, say);
  const demo = wantsDemo(config, process.env) ? await seedDemo(service, say) : null;
  process.stdout.write(
    startScreen(service.baseUrl, describeEngines(config, service.engines), config.dataDir, demo ? demoScreen(demo) : []),
  );
  return service;
});

function startScreen(baseUrl: string, engines: readonly string[], dataDir: string, demo: readonly string[]): string {
  return `${['', `Traceability Service   ${baseUrl}`, `API description        ${baseUrl}/docs`, '', ...demo, ...engines.map((line) => `  ${line}`), `  data       ${dataDir}`, '', 'Ctrl-C stops it.', ''].join('\n')}\n`;
}
