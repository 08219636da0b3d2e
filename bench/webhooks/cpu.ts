import { readdirSync, readFileSync } from 'node:fs';

/** Of the kernel's clock; 100 a second on every Linux. */
const TICK_MS = 10;

interface Spent {
  readonly parent: number;
  readonly ms: number;
}

/** Milliseconds of CPU that everything this process started has used so far, whatever else the machine does; null where there is no /proc. */
export function cpuOfChildren(): number | null {
  const processes = new Map<number, Spent>();
  try {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) note(processes, Number(name));
  } catch {
    return null;
  }
  const ours = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && (parent === process.pid || ours(parent));
  };
  return [...processes].reduce((sum, [pid, { ms }]) => (ours(pid) ? sum + ms : sum), 0);
}

/** With what its children used that have ended. */
function note(processes: Map<number, Spent>, pid: number): void {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number];
    processes.set(pid, { parent: fields[1]!, ms: (user + system + endedUser + endedSystem) * TICK_MS });
  } catch {
    // It has ended meanwhile.
  }
}
