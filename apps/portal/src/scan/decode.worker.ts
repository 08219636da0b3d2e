import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

const READER = new URL('../../../../node_modules/zxing-wasm/dist/reader/zxing_reader.wasm', import.meta.url).href;
// From the service: by default the library asks a content delivery network.
prepareZXingModule({ overrides: { locateFile: () => READER } });

addEventListener('message', ({ data }: MessageEvent<{ readonly id: number; readonly image: ImageData }>) => {
  void readBarcodes(data.image, { tryHarder: true, maxNumberOfSymbols: 1 }).then(
    ([found]) => postMessage({ id: data.id, text: found?.text ?? null }),
    (problem: unknown) => postMessage({ id: data.id, error: String(problem) }),
  );
});
