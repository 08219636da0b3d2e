import { useState } from 'preact/hooks';
import { lazyPage } from '../parts/lazy-page';
import { t } from '../state/language';

const ScanPanel = lazyPage(() => import('./scan-panel'));

/** Opens the camera; its scripts are loaded when it is first used. @param label tells it from other buttons of the page */
export function ScanButton({ label = t('Scan'), onCode }: { readonly label?: string; readonly onCode: (text: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="scanner">
      {open ? (
        <ScanPanel
          onCode={(text) => {
            setOpen(false);
            onCode(text);
          }}
          onClose={() => setOpen(false)}
        />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          {label}
        </button>
      )}
    </div>
  );
}
