import 'reflect-metadata';
import { configFrom } from '#config';
import { runProgram } from '../../runtime/src/index.js';
import { startWorker } from './worker.js';

await runProgram((say) => startWorker(configFrom(process.env), say));
