import { readdirSync, readFileSync } from 'node:fs';

/** Sends SIGSTOP and waits until it has effect: on a busy machine the other threads of a process work on for milliseconds. */
export function freezeProcess(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  if (process.platform !== 'linux') return;
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  while (!threadsOf(pid).every((state) => state === 'T' || state === 'Z')) Atomics.wait(nobody, 0, 0, 2);
}

/** The state of each thread, proc(5) `/proc/pid/stat` (3). */
function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2);
  });
}
