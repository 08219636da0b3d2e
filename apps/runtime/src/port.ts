import { once } from 'node:events';
import { createServer } from 'node:net';
import { OperatorError, isSystemError } from './operator-error.js';

/** Checked before any engine starts, so that a used port is reported at once. @throws OperatorError */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw refusedPort(error, host, port, 'PORT');
  } finally {
    server.close();
  }
}

/** Explains why a server cannot listen there, and names the setting. Any other fault is returned unchanged. */
export function refusedPort(error: unknown, host: string, port: number, setting: string): unknown {
  if (!isSystemError(error)) return error;
  if (error.code === 'EADDRINUSE')
    return new OperatorError(`Port ${port} is used by another program. Stop it, or choose another port with ${setting}.`);
  if (error.code === 'EACCES')
    return new OperatorError(`Port ${port} needs rights that this user does not have. Choose a port above 1023 with ${setting}.`);
  return new OperatorError(`The address ${host}:${port} cannot be used: ${error.message}`);
}

export async function isFree(host: string, port: number): Promise<boolean> {
  return requireFreePort(host, port).then(
    () => true,
    () => false,
  );
}
