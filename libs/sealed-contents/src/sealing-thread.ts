// The program of the thread of `SealContents`.
import { parentPort } from 'node:worker_threads';
import { type SealingRequest, type SealingResponse, SealingWork } from './sealing-work.js';

const port = parentPort!;
const work = new SealingWork();
port.on('message', (request: SealingRequest) => {
  const response = performed(request);
  port.postMessage(response, [response.bytes.buffer]);
});

function performed(request: SealingRequest): SealingResponse {
  try {
    return work.perform(request);
  } catch {
    // The thread that asked seals these itself, and finds what is wrong.
    return { id: request.id, parts: null, bytes: new Uint8Array() };
  }
}
