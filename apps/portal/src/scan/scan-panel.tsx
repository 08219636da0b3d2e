import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../parts/problem';
import { type Decoder, openDecoder, pixelsOf } from './decode';
import { t } from '../state/language';

const EVERY_MS = 150;

/** Reads a code by the camera, or from a photo where the page gets no camera. */
export default function ScanPanel({ onCode, onClose }: { readonly onCode: (text: string) => void; readonly onClose: () => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const decoder = useRef<Promise<Decoder> | null>(null);
  const [says, setSays] = useState(t('Starting the camera …'));
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    panel.current?.focus();
    decoder.current = openDecoder();
    const stop = watchCamera(video.current!, decoder.current, { onCode, setSays });
    const opened = decoder.current;
    return () => {
      stop();
      void opened.then((one) => one.close());
    };
  }, []);
  const readPhoto = async (file: File): Promise<void> => {
    setError(null);
    setSays(t('Reading the photo …'));
    const image = await createImageBitmap(file);
    const text = await (await decoder.current!).decode(pixelsOf(image, image.width, image.height));
    if (text === null) setSays(t('No code was found in this photo. Go closer, and hold it straight.'));
    else onCode(text);
  };
  return (
    <div
      class="scan"
      role="dialog"
      aria-label={t('Scan a code')}
      tabIndex={-1}
      ref={panel}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <video ref={video} muted playsInline aria-label={t('Picture of the camera')} />
      <p role="status">{says}</p>
      <div class="actions">
        <label class="button">
          {t('Take a photo')}
          <input
            type="file"
            accept="image/*"
            capture="environment"
            class="hidden"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) readPhoto(file).catch(setError);
            }}
          />
        </label>
        <button type="button" onClick={onClose}>
          {t('Close')}
        </button>
      </div>
      <Problem of={error} />
    </div>
  );
}

/** Decodes frames until one has a code. @returns what ends it */
function watchCamera(
  video: HTMLVideoElement,
  decoder: Promise<Decoder>,
  { onCode, setSays }: { readonly onCode: (text: string) => void; readonly setSays: (says: string) => void },
): () => void {
  let stream: MediaStream | null = null;
  let ended = false;
  const end = (): void => {
    ended = true;
    for (const track of stream?.getTracks() ?? []) track.stop();
  };
  const watch = async (): Promise<void> => {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } });
    if (ended) {
      end();
      return;
    }
    video.srcObject = stream;
    await video.play();
    setSays(t('Hold the code into the picture.'));
    const { decode } = await decoder;
    for (;;) {
      const text = video.videoWidth > 0 ? await decode(pixelsOf(video, video.videoWidth, video.videoHeight)) : null;
      if (ended) return;
      if (text !== null && text !== '') {
        end();
        onCode(text);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  watch().catch(() => {
    if (!ended) setSays(t('This page has no camera here. Take a photo of the code, or type it.'));
  });
  return end;
}
