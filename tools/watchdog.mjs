// A killed test run leaves nothing behind. Every process of a run carries the run's id in its environment; this program waits for
// the end of the run at a pipe, which closes whichever way the run ends, and then ends what is still there: nodes, databases,
// queues, browsers, workers. The run's temporary folder goes with them.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const RUN = 'TRACE_TEST_RUN';
/** What a run that ended by itself may take for its last processes. */
const GRACE_MS = 3_000;

/**
 * Watches this process. Its children from now on belong to the run: they get the id and a temporary folder of the run by environment.
 * Under another watched process this is a part of that one's run.
 */
export function watchThisRun() {
  if (process.env[RUN]) return;
  process.env[RUN] = randomBytes(8).toString('hex');
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'trace-'));
  // A database that runs as nobody has its folder below this one.
  chmodSync(process.env.TMPDIR, 0o711);
  const dog = spawn(process.execPath, [fileURLToPath(import.meta.url), process.env[RUN], process.env.TMPDIR], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: { PATH: process.env.PATH },
  });
  dog.unref();
  dog.stdin.on('error', () => undefined);
  dog.stdin.unref();
  process.once('exit', () => dog.stdin.write('ended'));
  if (process.env.npm_lifecycle_event) endWithNpm();
}

/** npm that was killed tells nobody; its child gets another parent. */
function endWithNpm() {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 500).unref();
}

/** Processes with this id in their environment. */
export function processesOf(run) {
  const mark = `${RUN}=${run}`;
  if (process.platform !== 'linux')
    return spawnSync('ps', ['-axEww', '-o', 'pid=,command='], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line.includes(mark))
      .map((line) => Number.parseInt(line, 10));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number);
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

function signal(pids, name) {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
}

async function guard(run, folder) {
  let said = '';
  for await (const chunk of process.stdin) said += chunk;
  if (said !== '') for (const end = Date.now() + GRACE_MS; Date.now() < end && processesOf(run).length > 0;) await sleep(100);
  // A frozen process takes no signal but this one; a database is asked first.
  signal(processesOf(run), 'SIGTERM');
  for (const end = Date.now() + 1_000; Date.now() < end && processesOf(run).length > 0;) await sleep(50);
  for (let left = processesOf(run); left.length > 0; left = processesOf(run)) {
    signal(left, 'SIGKILL');
    await sleep(50);
  }
  rmSync(folder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Ctrl-C in the terminal is for the run.
  for (const name of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(name, () => undefined);
  await guard(process.argv[2], process.argv[3]);
}
