import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { LicenseSeats } from '../../../api/generated/types.gen.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import { count } from '../../../lib/numbers.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { difference } from './-billable-effect.ts';
import { billableBefore, seriesOf, TONES } from './-seats.ts';
import { readView, toQuery } from './-view.ts';

const EVERYBODY = toQuery(readView({}));

interface SeatTilesProps {
  /** By day, where they are known. */
  seats: readonly LicenseSeats[] | undefined;
}

/** What is billed and who holds what, now: from the directory, so that the tiles agree with the list under them. */
export function SeatTiles({ seats }: SeatTilesProps) {
  const { billable, complete } = useDirectory();
  const found = useFound(EVERYBODY);
  const today = seats?.at(-1);
  // Until everybody has been read, the service's own count of today stands in.
  const billed = complete ? billable : today?.billable;
  const before = seats && billableBefore(seats);
  const shares = today && seriesOf([today]).series;
  return (
    <StatTiles>
      <StatTile
        label="Billable"
        value={billed === undefined ? undefined : count(billed)}
        note={billed !== undefined && before !== undefined ? against(billed - before) : undefined}
      />
      {licenseTypes.map(({ licenseTypeId, description, isBillable }, at) => {
        const now = complete ? (found?.counts.license[licenseTypeId] ?? 0) : shares?.[at]?.values[0];
        return (
          <StatTile
            key={licenseTypeId}
            label={description}
            tone={TONES[at]}
            value={now === undefined ? undefined : count(now)}
            note={isBillable ? 'billable' : 'not billable'}
          />
        );
      })}
    </StatTiles>
  );
}

const against = (change: number): string =>
  change === 0 ? 'as 30 days ago' : `${difference(change)} in 30 days`;
