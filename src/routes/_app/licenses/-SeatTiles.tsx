import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import type { LicenseSeats } from '../../../api/generated/types.gen.ts';
import { difference } from './-billable-effect.ts';
import { billableBefore, seriesOf } from './-seats.ts';
import { readView, toQuery } from './-view.ts';

const EVERYBODY = toQuery(readView({}));

interface SeatTilesProps {
  /** By day, where they are known. */
  seats: readonly LicenseSeats[] | undefined;
}

/** What is billed and who holds what, now: from the directory, so that the tiles agree with the list under them. */
export function SeatTiles({ seats }: SeatTilesProps) {
  const { billable, size, complete } = useDirectory();
  const found = useFound(EVERYBODY);
  const today = seats?.at(-1);
  // Until everybody has been read, the service's own count of today stands in.
  const billed = complete ? billable : today?.billable;
  const before = seats && billableBefore(seats);
  const counted4 = today && seriesOf([today]).series;
  const people = complete ? size : undefined;
  return (
    <StatTiles>
      <StatTile
        label="Billable"
        value={billed === undefined ? undefined : count(billed)}
        note={
          <>
            {people !== undefined && `of ${counted(people, 'person', 'people')}`}
            {people !== undefined && billed !== undefined && before !== undefined && ' · '}
            {billed !== undefined && before !== undefined && against(billed - before)}
          </>
        }
      />
      {licenseTypes.map(({ licenseTypeId, description, isBillable }, at) => {
        const now = complete ? (found?.counts.license[licenseTypeId] ?? 0) : counted4?.[at]?.values[0];
        return (
          <StatTile
            key={licenseTypeId}
            label={description}
            tone={counted4?.[at]?.tone ?? 1}
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
