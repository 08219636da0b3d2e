import 'reflect-metadata';
import { configFrom } from '#config';
import { describeEngines, runProgram } from '../../runtime/src/index.js';
import { startWorker } from '../../worker/src/worker.js';
import { demoScreen, seedDemo, wantsDemo } from './demo.js';
import { type RunningService, startService } from './service.js';

await runProgram(async (say, stopping) => {
  const config = configFrom(process.env);
  // One program for every role: deployments differ only in their environment variables.
  if (config.role === 'worker' || config.role === 'sponsor') return startWorker(config, say);
  const service = await startService(config, say, undefined, stopping);
  const demo = wantsDemo(config, process.env) && !stopping.aborted ? await seedDemo(service, say, stopping) : null;
  if (!stopping.aborted) process.stdout.write(startScreen(service, describeEngines(config, service.engines), demo ? demoScreen(demo) : []));
  return service;
});

function startScreen({ baseUrl, metricsUrl, config }: RunningService, engines: readonly string[], demo: readonly string[]): string {
  const metrics = metricsUrl === null ? [] : [`Metrics                ${metricsUrl}`];
  return `${['', `Traceability Service   ${baseUrl}`, `Portal                 ${baseUrl}/portal`, `API description        ${baseUrl}/docs`, `Guide                  ${baseUrl}/guide`, ...metrics, '', ...demo, ...engines.map((line) => `  ${line}`), `  data       ${config.dataDir}`, '', 'Ctrl-C stops it.', ''].join('\n')}\n`;
}
