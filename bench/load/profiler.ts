import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

// Loaded into a process with `--import`: the first SIGUSR2 begins a CPU profile, the second writes it into LOAD_PROFILE.
const session = new Session();
let running = false;
const turn = async (): Promise<void> => {
  if (!running) {
    running = true;
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    return;
  }
  const { profile } = await session.post('Profiler.stop');
  writeFileSync(join(process.env['LOAD_PROFILE']!, `api-${process.pid}.cpuprofile`), JSON.stringify(profile));
};
process.on('SIGUSR2', () => void turn());
