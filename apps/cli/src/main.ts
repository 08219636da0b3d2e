import 'reflect-metadata';
import { fail } from '../../runtime/src/index.js';
import { program } from './program.js';

await program.parseAsync().catch(fail);
