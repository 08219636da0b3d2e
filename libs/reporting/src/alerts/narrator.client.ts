import { Injectable } from '@nestjs/common';
import { ReportingSettings } from '../reporting.settings.js';
import type { AlertFigures } from './rules/insights.rules.js';

const MAX_CHARACTERS = 2_000;
const MAX_BYTES = 65_536;

const TASK =
  'You word the figures of a traceability service for its operator, in at most four plain English sentences. ' +
  'Use only the figures given, invent no cause and no product, and begin with what is worst.';

/** Asks an OpenAI-compatible `chat/completions` endpoint. It gets counts only, and its answer is shown as plain text. Optional. */
@Injectable()
export class Narrator {
  constructor(private readonly settings: ReportingSettings) {}

  /** Null = not configured. */
  get model(): string | null {
    return this.settings.narrator?.model ?? null;
  }

  async narrate(figures: AlertFigures): Promise<string | null> {
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
  // Control characters: a text column cannot store some, and a terminal must not get them.
  const plain = content.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain === '' ? null : plain.slice(0, MAX_CHARACTERS);
}

async function readAtMost(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the model answered more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
