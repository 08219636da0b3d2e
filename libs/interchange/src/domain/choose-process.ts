import type { Problem } from '#kernel';
import { BIZ_STEP, DISPOSITION, wordOf } from './cbv.js';
import type { CapturedLot } from './captured-lot.js';
import { type Json, textAt } from './json.js';

/** A process of the tenant's maps, as far as capture chooses by it. */
export interface KnownProcess {
  readonly processType: string;
  readonly mapName: string;
  readonly epcis: { readonly type: string; readonly action?: string; readonly bizStep: string; readonly disposition: string };
  readonly inputAssetTypes: readonly string[];
  readonly outputAssetType: string | null;
  readonly coProducts: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** GTIN of 14 digits to asset type, over the whole map. */
  readonly gtins: ReadonlyMap<string, string>;
}

/** A lot that has landed. */
export interface KnownLot {
  readonly tokenId: bigint;
  readonly code: string;
  readonly gtin: string | null;
  readonly assetType: string | null;
}

export interface Goods {
  readonly inputs: readonly CapturedLot[];
  readonly outputs: readonly CapturedLot[];
}

/** The process of an event: by type, action and bizStep; where several fit, by disposition and by what goes in and comes out. */
export function chooseProcess(
  event: Json,
  at: string,
  goods: Goods,
  processes: readonly KnownProcess[],
  lots: ReadonlyMap<string, KnownLot>,
): KnownProcess | Problem {
  const named = textAt(event, 'trc:processType');
  if (named !== null) {
    const found = processes.find(({ processType }) => processType === named);
    return (
      found ?? { pointer: `${at}/trc:processType`, code: 'process_missing', message: `No process map of yours has a process ${named}.` }
    );
  }
  const step = textAt(event, 'bizStep');
  if (step === null) return { pointer: `${at}/bizStep`, code: 'required', message: 'bizStep says which process this was.' };
  const [bizStep, type, action] = [wordOf(BIZ_STEP, step), event['type'], event['action']];
  const fitting = processes.filter(
    ({ epcis }) => epcis.type === type && epcis.bizStep === bizStep && (epcis.action === undefined || epcis.action === action),
  );
  const disposition = textAt(event, 'disposition');
  const told = `${String(type)}${typeof action === 'string' ? ` ${action}` : ''} with bizStep ${bizStep}`;
  if (fitting.length === 0)
    return {
      pointer: `${at}/bizStep`,
      code: 'process_missing',
      message: `No process of your maps is a ${told}${disposition === null ? '' : ` (disposition ${wordOf(DISPOSITION, disposition)})`}; publish one, or name yours in trc:processType.`,
    };
  const left = [
    ({ epcis }: KnownProcess) => disposition === null || epcis.disposition === wordOf(DISPOSITION, disposition),
    (process: KnownProcess) => makes(process, event, goods),
    (process: KnownProcess) => takes(process, goods, lots),
  ].reduce((all, fits) => (all.some(fits) ? all.filter(fits) : all), fitting);
  if (left.length === 1) return left[0]!;
  const names = left.map(({ processType }) => processType).join(', ');
  return {
    pointer: `${at}/bizStep`,
    code: 'process_ambiguous',
    message: `A ${told} could be ${names}: name the one that is meant in trc:processType.`,
  };
}

function makes(process: KnownProcess, event: Json, { outputs }: Goods): boolean {
  const stated = textAt(event['ilmd'], 'trc:assetType');
  if (stated !== null) return process.outputAssetType === stated;
  return outputs.some(
    ({ gtin }) => gtin !== null && process.outputAssetType !== null && process.gtins.get(gtin) === process.outputAssetType,
  );
}

function takes({ inputAssetTypes }: KnownProcess, { inputs }: Goods, lots: ReadonlyMap<string, KnownLot>): boolean {
  const types = inputs.flatMap(({ code }) => lots.get(code)?.assetType ?? []);
  return types.length > 0 && types.every((type) => inputAssetTypes.includes(type));
}
