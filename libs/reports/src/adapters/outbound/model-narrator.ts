import { Injectable } from '@nestjs/common';
import { type AlertFigures, Narrator } from '../../alerts.ports.js';
import { ReportSettings } from '../../settings.js';

const MOST_CHARACTERS = 2_000;
const MOST_BYTES = 65_536;

const TASK =
  'You word the figures of a traceability service for its operator, in at most four plain English sentences. ' +
  'Use only the figures given, invent no cause and no product, and begin with what is worst.';

/** An OpenAI-compatible `chat/completions`. It is sent counts, and what it answers is shown as text and nothing more. */
@Injectable()
export class ModelNarrator extends Narrator {
  constructor(private readonly settings: ReportSettings) {
    super();
  }

  override get model(): string | null {
    return this.settings.narrator?.model ?? null;
  }

  override async narrate(figures: AlertFigures): Promise<string | null> {
    const { narrator } = this.settings;
    if (narrator === null) return null;
    const answer = await fetch(`${narrator.url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(narrator.timeoutMs),
      headers: { 'content-type': 'application/json', ...(narrator.key !== null && { authorization: `Bearer ${narrator.key}` }) },
      body: JSON.stringify({
        model: narrator.model,
        temperature: 0,
        max_tokens: 400,
        messages: [
          { role: 'system', content: TASK },
          { role: 'user', content: JSON.stringify(figures) },
        ],
      }),
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw new Error(`the model answered ${answer.status}`);
    }
    return textOf(JSON.parse(await readAtMost(answer)));
  }
}

function textOf(answer: unknown): string | null {
  const content = (answer as { choices?: { message?: { content?: unknown } }[] } | null)?.choices?.[0]?.message?.content;
  if (typeof content !== 'string') return null;
  // What no text column holds and no terminal should get.
  const plain = content.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain === '' ? null : plain.slice(0, MOST_CHARACTERS);
}

async function readAtMost(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`the model answered more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
