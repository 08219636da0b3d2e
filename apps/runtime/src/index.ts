export { contexts } from './contexts.js';
export { DataFolder } from './data-folder.js';
export { type Engines, describeEngines, startEngines } from './engines.js';
export { baseModules } from './base-modules.js';
export { requireFreePort } from './port.js';
export { fail, runProgram } from './program.js';
export { requireSharedEngines } from './role.js';
export { RefusalToStart } from './refusal-to-start.js';
export { withSecrets } from './secrets.js';
