/** What a browser says of itself, as people call it: no version and no model, which the owner of the session does not need. */
export interface Device {
  readonly browser: string | null;
  readonly system: string | null;
}

/** Where somebody signs in from. */
export interface Origin extends Device {
  readonly ip: string;
}

type Names = readonly (readonly [mark: RegExp, name: string])[];

/** The first that fits: most browsers also name those that they imitate. */
const BROWSERS: Names = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
  [/\bpython|\burllib/i, 'Python'],
  [/^node\b/i, 'Node.js'],
];
const SYSTEMS: Names = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];
/** Longer ones are read no further. */
const READ = 500;

/** @param userAgent header of the request that signs in */
export function deviceOf(userAgent: string | undefined): Device {
  const said = (userAgent ?? '').slice(0, READ);
  const named = (names: Names): string | null => names.find(([mark]) => mark.test(said))?.[1] ?? null;
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
