import { type PlotFault, plotFaults } from '#geography';
import { type EventFacts, aboutEvent, eventName } from './event.rules.js';
import type { Rule, RuleContext } from './rule.js';
import { counted } from './wording.js';

const MOST_PLOTS = 1_000;

/** The plots of an event (`metadata.plot` or `plots`) against Reg. (EU) 2023/1115 Art. 2(28). One alert for each plot. */
export const geoQuality: Rule<EventFacts> = {
  type: 'GEO_QUALITY',
  recommendation:
    'Survey the plot again: a closed polygon above 4 ha with the declared area, six decimals, longitude before latitude (RFC 7946).',
  reference: 'Reg. (EU) 2023/1115 Art. 2(28)',
  headline: (count, group) => `The geometry of ${counted(count, 'plot')}${group && ` of ${group}`} is not good enough`,
  judge: (event, context) =>
    plotsOf(event).flatMap((plot, index) => {
      const faults = faultsOf(plot, event.country, context);
      if (faults.length === 0) return [];
      const position = String(index + 1);
      const name = typeof plot['id'] === 'string' ? plot['id'] : position;
      return [
        aboutEvent('GEO_QUALITY', faults.every(({ isWarning }) => isWarning) ? 'low' : 'medium', event, {
          // Without words of the event: the id of the alert is a hash of its key.
          key: position,
          title: `The geometry of plot ${name} of ${eventName(event)} is not good enough`,
          detail: `${faults.map(({ message }) => message).join('; ')}.`,
          evidence: { plot: name, faults: faults.map(({ code }) => code), areaHa: plot['areaHa'] ?? null, country: event.country },
          threshold: {
            plotAreaHa: context.thresholds.plotAreaHa,
            coordinateDecimals: context.thresholds.coordinateDecimals,
            plotAreaTolerance: context.thresholds.plotAreaTolerance,
          },
        }),
      ];
    }),
};

type Plot = Readonly<Record<string, unknown>>;
function plotsOf({ metadata }: EventFacts): Plot[] {
  const plots = Array.isArray(metadata['plots']) ? (metadata['plots'] as unknown[]) : [metadata['plot']];
  return plots.slice(0, MOST_PLOTS).filter(isObject);
}

const faultsOf = ({ geometry, areaHa, island }: Plot, country: string | null, { thresholds }: RuleContext): readonly PlotFault[] =>
  plotFaults(
    { geometry, areaHa: typeof areaHa === 'number' ? areaHa : null, country, island: typeof island === 'string' ? island : null },
    { polygonAboveHa: thresholds.plotAreaHa, decimals: thresholds.coordinateDecimals, areaTolerance: thresholds.plotAreaTolerance },
  );

const isObject = (value: unknown): value is Plot => typeof value === 'object' && value !== null && !Array.isArray(value);
