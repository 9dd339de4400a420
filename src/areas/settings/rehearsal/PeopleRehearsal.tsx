import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { rehearseApprovedAddressesOptions } from '../../../api/generated/queries/settings.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { RehearsedPeople, SuggestedNetworks } from './RehearsalParts.tsx';

const PERIODS = [30, 60, 90] as const;
const PERIOD_OPTIONS = PERIODS.map((value) => ({ value, label: `${value} days` }));
/** Limit of the operation. */
const MAX_PEOPLE = 10_000;

/**
 * Who of some people would have been locked out if they had been restricted to the approved addresses, from where, and
 * which networks to approve.
 */
export function PeopleRehearsal({ userIds }: { userIds: readonly number[] }) {
  const { allowed } = usePermission('rehearseApprovedAddresses');
  const [days, setDays] = useState<number>(90);
  const isPossible = userIds.length > 0 && userIds.length <= MAX_PEOPLE;
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...rehearseApprovedAddressesOptions({ body: { userIds: [...userIds], days } }),
    enabled: allowed && isPossible,
    // Addresses are approved in another tab meanwhile.
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  if (!allowed || userIds.length === 0) return null;
  if (!isPossible)
    return (
      <Banner title="Too many people selected">
        Select at most {formatNumber(MAX_PEOPLE)} people to see who would have been locked out.
      </Banner>
    );
  return (
    <section className="rehearsal" aria-label="Who would have been locked out">
      <header className="rehearsal-head">
        <h3>Who would have been locked out</h3>
        <SegmentedControl label="Period" options={PERIOD_OPTIONS} value={days} onChange={setDays} />
      </header>
      {data ? (
        <>
          {isPlaceholderData ? (
            <Banner>Checking the last {days} days…</Banner>
          ) : (
            <Banner tone={data.lockedOut + data.wouldBeLockedOut > 0 ? 'warn' : 'ok'}>
              {formatOutcome(data.lockedOut + data.wouldBeLockedOut, userIds.length, days)}
            </Banner>
          )}
          <div className="rehearsal" inert={isPlaceholderData}>
            <SuggestedNetworks suggestions={data.suggestions} renderAction={ApproveLink} />
            <RehearsedPeople places={data.places} />
          </div>
        </>
      ) : error ? (
        <ErrorState title="The access check failed" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      ) : (
        <Skeleton width="70%" />
      )}
    </section>
  );
}

function formatOutcome(outside: number, total: number, days: number): string {
  const people = pluralize(total, 'person', 'people');
  return outside === 0
    ? `In the last ${days} days, none of ${people} used an address that is not approved.`
    : `In the last ${days} days, ${formatNumber(outside)} of ${people} used an address that is not approved.`;
}

/** Opens the list of approved addresses in another tab, so that the dialog stays open. */
const ApproveLink = ({ network }: { network: string }) => (
  <Link
    to="/settings/addresses"
    search={{ add: network }}
    target="_blank"
    className={buttonClass({ size: 'small' })}
  >
    Approve {network}…
  </Link>
);
