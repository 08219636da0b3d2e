import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

// Loaded into a process with `--import`: the first SIGUSR2 begins a CPU profile, the second writes it into LOAD_PROFILE; the third begins the next.
const session = new Session();
let written = 0;
let running = false;
const toggle = async (): Promise<void> => {
  running = !running;
  if (running) {
    if (written === 0) {
      session.connect();
      await session.post('Profiler.enable');
    }
    await session.post('Profiler.start');
    return;
  }
  const { profile } = await session.post('Profiler.stop');
  const file = join(process.env['LOAD_PROFILE']!, `${process.pid}-${++written}.cpuprofile`);
  // Renamed when it is complete, so that a reader never finds half of the file.
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
};
process.on('SIGUSR2', () => void toggle());
