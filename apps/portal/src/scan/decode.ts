import { t } from '../state/language';

/** As far as this page uses it; browsers on Android, macOS and ChromeOS have it. */
interface BarcodeDetector {
  detect(image: ImageData): Promise<readonly { readonly rawValue: string }[]>;
}
interface BarcodeDetectors {
  new (options: { readonly formats: readonly string[] }): BarcodeDetector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** A browser's own reader is used when it knows all of these. */
const FORMATS = ['qr_code', 'data_matrix', 'code_128', 'ean_13'];

export interface Decoder {
  /** @returns the text of a code in the image */
  readonly decode: (image: ImageData) => Promise<string | null>;
  readonly close: () => void;
}

export async function openDecoder(): Promise<Decoder> {
  const detectors = (globalThis as { BarcodeDetector?: BarcodeDetectors }).BarcodeDetector;
  const supported = (await detectors?.getSupportedFormats().catch(() => [])) ?? [];
  if (!detectors || !FORMATS.every((format) => supported.includes(format))) return workerDecoder();
  const detector = new detectors({ formats: FORMATS });
  return { decode: async (image) => (await detector.detect(image))[0]?.rawValue ?? null, close: () => undefined };
}

interface Answer {
  readonly id: number;
  readonly text?: string | null;
  readonly error?: string;
}

/** A WebAssembly reader away from the page, so that the video does not stop. */
function workerDecoder(): Decoder {
  const worker = new Worker(new URL('decode.worker.ts', import.meta.url), { type: 'module' });
  let asked = 0;
  const decode = (image: ImageData): Promise<string | null> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      const onMessage = ({ data }: MessageEvent<Answer>): void => {
        if (data.id !== id) return;
        worker.removeEventListener('message', onMessage);
        if (data.error === undefined) resolve(data.text ?? null);
        else reject(new Error(t('This image cannot be read.')));
      };
      worker.addEventListener('message', onMessage);
      worker.addEventListener('error', () => reject(new Error(t('The reader of codes did not start. Type the code instead.'))), {
        once: true,
      });
      worker.postMessage({ id, image });
    });
  return { decode, close: () => worker.terminate() };
}

/** Larger images take long and are read no better. */
const WIDEST = 1600;

/** The pixels of a frame or a photo. */
export function pixelsOf(source: CanvasImageSource, width: number, height: number): ImageData {
  const scale = Math.min(1, WIDEST / Math.max(width, height));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale)));
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
