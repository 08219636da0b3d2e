import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A receiver in a process of its own: answers 200 at once and counts. `/dead…` answers 500, `/hang…` never; of `/timed…` it tells at
// once which fact came when. Says its port first; each message to it is answered with the count so far.
let taken = 0;
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url = '' } = request;
    if (method === 'POST') taken++;
    if (method === 'POST' && url.startsWith('/timed')) {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { serial: number } };
      process.send!({ serial: data.serial, at: performance.timeOrigin + performance.now() });
    }
    if (method !== 'POST' || !url.startsWith('/hang')) response.writeHead(method === 'POST' && url.startsWith('/dead') ? 500 : 200).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send!({ taken }));
process.on('disconnect', () => process.exit(0));
