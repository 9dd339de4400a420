import { useMemo } from 'react';
import { licenseName } from '../../../../contract/rules/licenses.ts';
import { usePeople } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { RequestId } from '../../../ui/feedback/RequestId.tsx';
import { useRefusals } from './-changes.tsx';

/** The reasons of the rows that are marked "Not changed", in full: a row has one line for everything. */
export function Refusals() {
  const { refused, choose, discard } = useRefusals();
  const key = refused.map(({ userId }) => userId).join(' ');
  const people = usePeople(useMemo(() => (key === '' ? [] : key.split(' ').map(Number)), [key]));
  if (refused.length === 0) return null;
  return (
    <Banner tone="bad" title={`${counted(refused.length, 'license was', 'licenses were')} not changed`}>
      <ul className="lic-refusals">
        {refused.map(({ userId, to, error }) => {
          const row = people.get(userId);
          const name = row?.name ?? `User ${userId}`;
          return (
            <li key={userId}>
              <span>
                {name}, {licenseName(to)}: {error.message}
                {error.requestId !== undefined && <RequestId id={error.requestId} />}
              </span>
              {row && (
                <Button size="small" aria-label={`Try again for ${name}`} onClick={() => choose(row, to)}>
                  Try again
                </Button>
              )}
              <Button size="small" aria-label={`Give up for ${name}`} onClick={() => discard(userId)}>
                Give up
              </Button>
            </li>
          );
        })}
      </ul>
    </Banner>
  );
}
