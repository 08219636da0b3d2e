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
    if (!isSystemError(error)) throw error;
    if (error.code === 'EADDRINUSE')
      throw new RefusalToStart(`Port ${port} is taken by another program. Stop it, or choose another one with PORT.`);
    if (error.code === 'EACCES')
      throw new RefusalToStart(`Port ${port} needs rights that this user does not have. Choose one above 1023 with PORT.`);
    throw new RefusalToStart(`The address ${host}:${port} cannot be used: ${error.message}`);
  } finally {
    server.close();
  }
}

export async function isFree(host: string, port: number): Promise<boolean> {
  return requireFreePort(host, port).then(
    () => true,
    () => false,
  );
}
