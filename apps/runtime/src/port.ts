import { once } from 'node:events';
import { createServer } from 'node:net';
import { RefusalToStart, isSystemError } from './refusal-to-start.js';

/** Asked before any engine starts, so that a taken port costs nobody a minute. @throws RefusalToStart */
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

/** Why a server cannot listen there, in a sentence that names the setting; what is no matter of the system stays as it is. */
export function refusedPort(error: unknown, host: string, port: number, setting: string): unknown {
  if (!isSystemError(error)) return error;
  if (error.code === 'EADDRINUSE')
    return new RefusalToStart(`Port ${port} is taken by another program. Stop it, or choose another one with ${setting}.`);
  if (error.code === 'EACCES')
    return new RefusalToStart(`Port ${port} needs rights that this user does not have. Choose one above 1023 with ${setting}.`);
  return new RefusalToStart(`The address ${host}:${port} cannot be used: ${error.message}`);
}

export async function isFree(host: string, port: number): Promise<boolean> {
  return requireFreePort(host, port).then(
    () => true,
    () => false,
  );
}
