import { useSuspenseQuery } from '@tanstack/react-query';
import { useSession } from '../../../api/session.ts';
import { count } from '../../../lib/numbers.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { PART_TONES, partsOf } from './-coverage.ts';
import { coverageQuery } from './-settings-query.ts';
import { WithoutFactorCard } from './-WithoutFactorCard.tsx';
import './-settings.css';

/** How far two-factor authentication reaches: who has a second factor, and of whom one is asked (spec 2.1). */
export function TwoFactorTab() {
  const { site } = useSession();
  const { data: coverage } = useSuspenseQuery(coverageQuery);
  const { active, setUp, parts } = partsOf(coverage);
  const visible = parts.filter(({ number }) => number > 0);
  return (
    <div className="set-outcome">
      {site.identityMode === 'identity-manager' && (
        <Banner>
          {site.name} signs people in through its identity manager, which asks for second factors by its own
          rules. What stands here counts where the same people sign in with a password.
        </Banner>
      )}
      <StatTiles>
        <StatTile
          label="Active users"
          value={count(active)}
          note={setUp === 0 ? 'none has a second factor' : `${count(setUp)} with a second factor`}
        />
        {parts.map(({ key, label, number, note }) => (
          <StatTile key={key} tone={PART_TONES[key]} label={label} value={count(number)} note={note} />
        ))}
      </StatTiles>
      {active > 0 && (
        // The numbers above it say the same.
        <div className="set-cover" aria-hidden>
          {visible.map(({ key, number }) => (
            <span key={key} className={`chart-tone-${PART_TONES[key]}`} style={{ flexGrow: number }} />
          ))}
        </div>
      )}
      <WithoutFactorCard coverage={coverage} />
    </div>
  );
}
